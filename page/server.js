// What the page asks its server, with the key that is entered.
import { part } from "./elements.js";

export const key = part("key");
key.value = sessionStorage.getItem("key") ?? "";

/** What the server answers; its refusal as an Error. */
export async function ask(path, body) {
  const headers = {};
  if (key.value) headers.authorization = `Bearer ${key.value}`;
  if (body) headers["content-type"] = "application/json";
  const method = body ? "POST" : "GET";
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  // What stands between may refuse without a word.
  const answer = await response.json().catch(() => ({ message: `The server answers ${response.status}` }));
  if (!response.ok) throw Object.assign(new Error(answer.message), { code: answer.code });
  return answer;
}

export const isRefused = ({ code }) => code === "invalid_api_key" || code === "missing_authorization_header";
