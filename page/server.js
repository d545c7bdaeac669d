// What the page asks its server, with the key that is entered.
import { part } from "./elements.js";

export const key = part("key");
key.value = sessionStorage.getItem("key") ?? "";

/** What a header can carry: Latin-1. */
const KEY = /^[\t -~\u0080-\u00ff]*$/;
/** Header, claims and signature. */
const TENANT_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Of an index. */
export const pathOf = (uid) => `indexes/${encodeURIComponent(uid)}`;

/** What the server answers to a question; its refusal as an Error. `body`: a value, sent as JSON. */
export async function ask(path, body) {
  const given = key.value;
  const asked = body ? send("POST", path, JSON.stringify(body)) : send("GET", path);
  const { answer, error } = await asked.then((answer) => ({ answer })).catch((error) => ({ error }));
  // What another key is answered is not for this one.
  if (key.value !== given) return ask(path, body);
  if (error) throw error;
  return answer;
}

/** As `ask`, but sent once in any case: for what changes something. `body`: text or a Blob. */
export async function send(method, path, body, headers = { "content-type": "application/json" }) {
  if (!KEY.test(key.value))
    throw Object.assign(new Error("A key has no such letters"), { code: "invalid_letters" });
  const sent = { ...(body && headers), ...(key.value && { authorization: `Bearer ${key.value}` }) };
  // Each browser says in other words that nobody answers.
  const response = await fetch(path, { method, headers: sent, body }).catch(() => {
    throw new Error("The server cannot be reached");
  });
  // What stands between may refuse without a word.
  const answer = await response.json().catch(() => null);
  if (response.ok && typeof answer === "object" && answer !== null) return answer;
  const { message, code } = answer ?? {};
  throw Object.assign(new Error(message || `The server answers ${response.status}`), { code });
}

/** What went wrong, for who reads the page. */
export function told(error) {
  if (error instanceof TypeError) return "The server answers something else than was asked for";
  const { message, code } = error;
  // A search is one of several in a request.
  const text = message.replace(/^Inside `\.queries\[\d+\]`: /, "");
  if (code !== "invalid_api_key" && code !== "missing_authorization_header") return text;
  if (key.value === "") return `${text} (enter a key above)`;
  return `${isUnknown({ message }) ? "The server does not know this key" : text} (enter another key above)`;
}

/** The code is that of all refusals. */
const isUnknown = ({ message }) => message.endsWith(": it is unknown");

/** Whether the key opens searches, perhaps, but not the list of indexes. */
export const isForSearches = (error) =>
  // For all but searches the server knows no tenant tokens.
  error.code === "invalid_api_key" &&
  (isUnknown(error) ? TENANT_TOKEN.test(key.value) : error.message.includes("it lacks the action"));
