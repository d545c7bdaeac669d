// Which fields hold secrets by their name, and texts that a message may repeat: without what stands behind
// such a name. Called by phrases.ts and validator.ts for values of a wrong type, and by bodyjson.ts for
// bodies that are no JSON. How a sound secret is shown stands in src/engine/secrets.ts.

/** `apiKey`, `searchApiKey`, `writeApiKey`, `headers`, `Authorization`, and as others write them. */
const NAMES = "(?:\\w*api[-_]?key|master[-_]?key|headers|authorization)";
const SECRET_NAME = new RegExp(`^${NAMES}$`, "i");
/** Whatever stands behind: what is no JSON may lack the colon, or the quotes. */
const SECRET_FIELD = new RegExp(`(\\b${NAMES}\\b).*`, "is");
const SCHEME = /\b(bearer|basic) +[^\s"'\\]+/gi;
/** Of an address: user and password, and what many providers expect a key in. */
const CREDENTIALS = /(\/\/)[^/\s"@]*@/g;
const ADDRESS_QUERY = /(\w:\/\/[^\s"?]*\?)[^\s"\\]+/g;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A text up to its first secret: where that ends cannot be told from what is no JSON. */
export function withoutSecretFields(text: string): string {
  return text
    .replace(SECRET_FIELD, "$1...")
    .replace(SCHEME, "$1 ...")
    .replace(CREDENTIALS, "$1...@")
    .replace(ADDRESS_QUERY, "$1...");
}
