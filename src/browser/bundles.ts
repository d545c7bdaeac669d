// Bundles (storage/bundle.ts) over HTTP: their first parts, which the page fetches while the worker starts
// (remoteoperations.ts), ranges of their files, and copies of them (opening.ts).
import { messageOf, TarsierError } from "../errors.ts";
import {
  BUNDLE_DESCRIPTION_NAME,
  BUNDLE_FIRST_NAME,
  BUNDLE_FORMAT,
  type BundleDescription,
  BundleStorage,
  type ReadRange,
} from "../storage/bundle.ts";
import { serverFault } from "../storage/failure.ts";
import { checkName } from "../storage/name.ts";
import { folderOf, type Storage } from "../storage/storage.ts";
import { fetchNow } from "./fetchnow.ts";

/** What a store over a bundle needs first. */
export interface BundleStart {
  description: BundleDescription;
  /**
   * The file of the first parts; null: it could not be fetched, and everything works without it, only slower.
   */
  first: Uint8Array<ArrayBuffer> | null;
}

/** @throws TarsierError `io_error`, or `database_refused` for a bundle that is not of this format */
export async function describeBundle(address: string): Promise<BundleDescription> {
  const url = urlOf(address, BUNDLE_DESCRIPTION_NAME);
  const answer = await fetched(url);
  const text = await answer.text().catch((cause) => {
    throw serverFault("fetch", url, messageOf(cause));
  });
  const found = descriptionIn(text);
  if (found?.format === BUNDLE_FORMAT && isWhole(found)) return found;
  const message = `\`${url}\` describes no bundle of format ${BUNDLE_FORMAT}, which this version reads`;
  throw new TarsierError("database_refused", { message });
}

/** Null: the text is no JSON. */
function descriptionIn(text: string): BundleDescription | null {
  try {
    return JSON.parse(text) as BundleDescription | null;
  } catch {
    return null;
  }
}

/** @throws TarsierError `io_error` */
async function fetched(url: string): Promise<Response> {
  const answer = await fetch(url).catch((cause) => {
    throw serverFault("fetch", url, messageOf(cause));
  });
  if (!answer.ok) throw serverFault("fetch", url, `it answers with the status ${answer.status}`);
  return answer;
}

/** Whether it has the sizes of files, under names that stay inside a storage, and a list of first parts. */
function isWhole({ files, first }: Partial<BundleDescription>): boolean {
  if (typeof files !== "object" || files === null || !Array.isArray(first?.parts)) return false;
  try {
    for (const name of Object.keys(files)) checkName(name);
  } catch {
    return false;
  }
  return Object.values(files).every((bytes) => Number.isSafeInteger(bytes) && bytes >= 0);
}

/** Fetches what a bundle is opened with, all at once. Throws what describeBundle throws. */
export async function startBundle(address: string): Promise<BundleStart> {
  const [description, found] = await Promise.all([describeBundle(address), firstOf(address)]);
  const bytes = description.first.parts.reduce((sum, { from, end }) => sum + end - from, 0);
  // For a missing file, some servers answer with a page.
  return { description, first: found?.length === bytes ? found : null };
}

async function firstOf(address: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const answer = await fetch(urlOf(address, BUNDLE_FIRST_NAME));
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

/** A bundle that is read by ranges, given its first parts. */
export function openBundle(address: string, { description, first }: BundleStart): BundleStorage {
  const storage = new BundleStorage(description.files, rangeReader(address));
  if (first) storage.take(description.first.parts, first);
  return storage;
}

/** Blocks the worker while it reads: engines read files synchronously. */
function rangeReader(address: string): ReadRange {
  return (name, from, end) => fetchNow(urlOf(address, name), { from, end });
}

/** Copies all files of a bundle into an empty storage; durable when fulfilled, the last file in one step. */
export async function copyBundle(
  address: string,
  { files }: BundleDescription,
  storage: Storage,
  lastName: string,
  onProgress: (copiedBytes: number, totalBytes: number) => void,
): Promise<void> {
  const totalBytes = Object.values(files).reduce((sum, bytes) => sum + bytes, 0);
  let copied = 0;
  // An instance exists once its journal does, so that file comes last.
  const names = [...Object.keys(files).filter((name) => name !== lastName), lastName];
  for (const name of names) {
    storage.makeFolder(folderOf(name));
    const url = urlOf(address, name);
    const { body } = await fetched(url);
    const temporary = `${name}.new`;
    const file = storage.create(temporary);
    try {
      for (const reader = body!.getReader(); ; ) {
        const { done, value } = await reader.read().catch((cause) => {
          throw serverFault("fetch", url, messageOf(cause));
        });
        if (done) break;
        file.append(value);
        copied += value.length;
        onProgress(copied, totalBytes);
      }
      if (file.size !== files[name]) {
        const reason = `it has ${file.size} bytes, not the ${files[name]} of its description`;
        throw serverFault("fetch", url, reason);
      }
      file.sync();
    } finally {
      file.close();
    }
    storage.rename(temporary, name);
    storage.syncFolder(folderOf(name));
  }
}

/** `address`: that of a folder, with or without a slash at its end. */
function urlOf(address: string, name: string): string {
  const path = name.split("/").map(encodeURIComponent).join("/");
  return new URL(path, address.endsWith("/") ? address : `${address}/`).href;
}
