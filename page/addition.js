// The view that adds documents to an index: a file, which may be dropped anywhere on the page, or what is
// typed. Their format is known by how they begin.
import { element, part } from "./elements.js";
import { pathOf, send, told } from "./server.js";
import { allEnded, unlessFailed } from "./tasks.js";

/** NDJSON goes in parts, each of them smaller than what a server takes in one request. */
const PART_BYTES = 16 * 2 ** 20;
/** Enough to see what it is. */
const HEAD_BYTES = 2 ** 16;
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const NEWLINE = 10;
const GZIP = [0x1f, 0x8b];
const EXTENSIONS = /(\.(json|ndjson|jsonl|csv|tsv|txt|gz))+$/i;
const UID_CHARACTERS_MAX = 400;
const NO_DOCUMENTS =
  "There are no documents in it: they are objects of JSON, or lines of a table (CSV) below the names of its columns";

/** Of a file that was chosen, until another name is typed. */
let proposedName = "";

export function listenToAddition() {
  part("addedFile").addEventListener("change", () => {
    part("addedText").value = "";
    proposeName();
  });
  part("addedText").addEventListener("input", () => {
    part("addedFile").value = "";
  });
}

/** `uids`: indexes that are there. */
export function offerNames(uids) {
  part("indexNames").replaceChildren(...uids.map((value) => element("option", { value })));
}

/** Takes the first of the files that were dropped, unless others are being sent. */
export function takeFile({ files }) {
  // What is dropped from some programs only says that it is a file.
  if (part("addedFile").matches(":disabled") || files.length === 0) return;
  const taken = new DataTransfer();
  taken.items.add(files[0]);
  part("addedFile").files = taken.files;
  part("addedFile").dispatchEvent(new Event("change"));
  write(files.length > 1 ? `Of ${files.length.toLocaleString()} files only the first one was taken` : "");
}

function proposeName() {
  const [file] = part("addedFile").files;
  if (!file || !["", proposedName].includes(part("addedIndex").value)) return;
  const name = file.name.replace(EXTENSIONS, "").replaceAll(/[^\w-]+/g, "-");
  proposedName = name.slice(0, UID_CHARACTERS_MAX);
  part("addedIndex").value = proposedName;
}

/** Fulfilled with the name of the index when the documents can be found there; with null if they cannot. */
export async function addDocuments() {
  const content = part("addedFile").files[0] ?? new Blob([part("addedText").value]);
  const uid = part("addedIndex").value;
  const fields = part("addition").querySelector("fieldset");
  fields.disabled = true;
  try {
    if (content.size === 0) throw new Error("There is nothing to add");
    const taskUids = await sendDocuments(content, uid, part("addedKey").value);
    const tasks = unlessFailed(await allEnded(taskUids).catch(throwUnknown));
    const added = tasks.reduce((sum, { details }) => sum + details.indexedDocuments, 0);
    write(`${added.toLocaleString()} ${added === 1 ? "document" : "documents"} added to ${uid}`);
    part("addition").reset();
    proposedName = "";
    return uid;
  } catch (error) {
    // Not told above the views: what the page asks by itself meanwhile would wipe it away.
    write(told(error), "failed");
    return null;
  } finally {
    fields.disabled = false;
  }
}

/** They are not to be sent again only because the server is away, or because the key may not look at tasks. */
function throwUnknown(error) {
  throw new Error(`The documents are safe, but it is not known whether they can be found: ${told(error)}`);
}

function write(textContent, className = "") {
  Object.assign(part("additionState"), { textContent, className });
}

/** Uids of the tasks. */
async function sendDocuments(content, uid, primaryKey) {
  const isZipped = await beginsZipped(content);
  const head = await headOf(content, isZipped);
  const isShort = content.size <= HEAD_BYTES;
  if (isShort && head.trim() === "") throw new Error("There is nothing to add");
  const { type, csvDelimiter } = formatOf(head);
  // One line is taken for the names of a table, which would only make an index.
  const isOneLine = isShort && !isZipped && !/[\r\n]/.test(head.trim());
  if (isOneLine && type === CSV) throw new Error(NO_DOCUMENTS);
  const parameters = new URLSearchParams({
    ...(primaryKey && { primaryKey }),
    ...(csvDelimiter && { csvDelimiter }),
  });
  const headers = { "content-type": type, ...(isZipped && { "content-encoding": "gzip" }) };
  const path = `${pathOf(uid)}/documents?${parameters}`;
  const isInParts = type === NDJSON && !isZipped;
  const taskUids = [];
  for await (const [start, piece] of isInParts ? partsOf(content) : [[0, content]]) {
    write(`Sending: ${Math.round((100 * start) / content.size)} %`);
    const { taskUid } = await send("POST", path, piece, headers).catch((error) => {
      // Lines are counted from there on.
      const before = start > 0 ? `Behind the first ${start.toLocaleString()} bytes, which are safe: ` : "";
      throw new Error(before + told(error));
    });
    taskUids.push(taskUid);
  }
  write("The documents are safe, and will soon be found");
  return taskUids;
}

async function beginsZipped(content) {
  const bytes = new Uint8Array(await content.slice(0, GZIP.length).arrayBuffer());
  return GZIP.every((byte, at) => bytes[at] === byte);
}

/** The first characters. */
async function headOf(content, isZipped) {
  const head = content.slice(0, HEAD_BYTES);
  const bytes = isZipped ? await unzippedHead(head) : await head.arrayBuffer();
  try {
    // As a stream, since the last character may be cut.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    if (!text.includes("\0")) return text;
  } catch {}
  throw new Error(`This is no text in UTF-8. ${NO_DOCUMENTS}`);
}

async function unzippedHead(head) {
  const reader = head.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const { value } = await reader.read().catch(() => {
    throw new Error("The file begins like a compressed one, but is damaged");
  });
  reader.cancel().catch(() => {});
  return value;
}

function formatOf(head) {
  const text = head.trimStart();
  const [line, ...others] = text.split("\n");
  if (text.startsWith("{")) {
    // An object in several lines is JSON; of a line that does not end in the head, more may follow.
    return { type: others.length > 0 && !isJson(line) ? "application/json" : NDJSON };
  }
  if (text.startsWith("[")) return { type: "application/json" };
  return { type: CSV, csvDelimiter: delimiterIn(text) };
}

/** What separates the most names in the head of a table; null for the usual comma. */
function delimiterIn(text) {
  // Names in quotes may hold any of them, and ends of lines.
  const [line] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/);
  const [first, ...others] = [",", ";", "\t", "|"].map((one) => ({ one, count: line.split(one).length }));
  const { one } = others.reduce((best, other) => (other.count > best.count ? other : best), first);
  return one === "," ? null : one;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where each part begins, and the part: whole lines. */
async function* partsOf(content) {
  for (let start = 0; start < content.size; ) {
    const end = await endOfLine(content, start + PART_BYTES);
    yield [start, content.slice(start, end)];
    start = end;
  }
}

/** Just behind the first end of a line from `position` on. */
async function endOfLine(content, position) {
  for (let start = position; start < content.size; start += HEAD_BYTES) {
    const bytes = new Uint8Array(await content.slice(start, start + HEAD_BYTES).arrayBuffer());
    const at = bytes.indexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
  }
  return content.size;
}
