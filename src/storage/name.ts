// Names inside a storage. They are made by this program alone, so a bad one is a fault in it: but one that
// could reach outside the storage must never get through.
import { baseOf, folderOf } from "./storage.ts";

/** @throws RangeError unless `name` is "" or parts joined by "/", none of them empty, "." or ".." */
export function checkName(name: string): void {
  if (name === "") return;
  for (const part of name.split("/")) {
    if (part === "" || part === "." || part === ".." || part.includes("\\") || part.includes("\0")) {
      throw new RangeError(`not a name inside a storage: ${JSON.stringify(name)}`);
    }
  }
}

/** What lies directly inside a folder, sorted: for storages that know the names of all they have. */
export function namesInside(folder: string, names: Iterable<string>): string[] {
  checkName(folder);
  const inside: string[] = [];
  for (const name of names) if (name !== "" && folderOf(name) === folder) inside.push(baseOf(name));
  return inside.sort();
}
