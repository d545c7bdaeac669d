// Names inside a storage. They are made by this program alone, so a bad one is a fault in it: but one that
// could reach outside the storage must never get through.

/** @throws RangeError unless `name` is "" or parts joined by "/", none of them empty, "." or ".." */
export function checkName(name: string): void {
  if (name === "") return;
  for (const part of name.split("/")) {
    if (part === "" || part === "." || part === ".." || part.includes("\\") || part.includes("\0")) {
      throw new RangeError(`not a name inside a storage: ${JSON.stringify(name)}`);
    }
  }
}
