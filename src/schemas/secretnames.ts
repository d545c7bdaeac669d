// Which fields hold secrets by their names, and how to cut a text for a message before such a name. Called by
// phrases.ts and validator.ts for values of a wrong type, and by bodyjson.ts for bodies that are not JSON.
// How a valid secret is shown is decided in src/engine/secrets.ts.

/** `apiKey`, `searchApiKey`, `writeApiKey`, `headers`, `Authorization`, in any usual spelling. */
const NAMES = "(?:\\w*api[-_]?key|master[-_]?key|headers|authorization)";
const SECRET_NAME = new RegExp(`^${NAMES}$`, "i");
/** Everything behind the name: text that is not JSON may lack the colon or the quotes. */
const SECRET_FIELD = new RegExp(`(\\b${NAMES}\\b).*`, "is");
const SCHEME = /\b(bearer|basic) +[^\s"'\\]+/gi;
/** Parts of URLs: user and password, and the query, where many providers expect a key. */
const CREDENTIALS = /(\/\/)[^/\s"@]*@/g;
const ADDRESS_QUERY = /(\w:\/\/[^\s"?]*\?)[^\s"\\]+/g;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The text up to its first secret field: if it is not JSON, the end of the secret cannot be found. */
export function withoutSecretFields(text: string): string {
  return text
    .replace(SECRET_FIELD, "$1...")
    .replace(SCHEME, "$1 ...")
    .replace(CREDENTIALS, "$1...@")
    .replace(ADDRESS_QUERY, "$1...");
}
