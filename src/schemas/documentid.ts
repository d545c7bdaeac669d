// What the id of a document may be. Separate from the schemas (documents.ts), which pages in a browser do not
// load, and without imports: the table of errors (../errors.ts) shows it, too.

export const DOCUMENT_ID_PATTERN = "^[A-Za-z0-9_-]{1,511}$";
export const DOCUMENT_ID_EXPECTED = "an integer, or 1 to 511 letters (A to Z), digits, `-` and `_`";

const DOCUMENT_ID = new RegExp(DOCUMENT_ID_PATTERN);

/** Whether a text can be the id of a document. */
export function isDocumentId(text: string): boolean {
  return DOCUMENT_ID.test(text);
}
