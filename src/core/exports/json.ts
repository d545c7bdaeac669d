// The kernels that look inside JSON documents (assembly/json*.ts), for src/core/json.ts.

export interface JsonExports {
  jsonEntries(json: number, length: number, out: number, most: number): number;
  jsonElements(json: number, length: number, out: number, most: number): number;
  jsonSelect(json: number, length: number, names: number, out: number): number;
  jsonUnescape(string: number, length: number, out: number): number;
  /** Number of values; -1 for anything else. */
  jsonVectors(text: number, length: number, out: number): number;
  jsonVectorLists(): number;
  /** 1 if the text contains the part, else 0. */
  textHolds(text: number, bytes: number, part: number, length: number): number;
  jsonIds(text: number, length: number, key: number, keyLength: number, out: number, most: number): number;
  jsonIdsBytes(most: number): number;
  jsonDocument(
    walker: number,
    inverter: number,
    values: number,
    tokenizer: number,
    docid: number,
    json: number,
    length: number,
  ): number;
  jsonWalkerBytes(length: number): number;
  jsonWalkerReset(walker: number, bytes: number): number;
  jsonWalkerLocale(walker: number, field: number, locale: number): void;
  jsonWalkerShape(walker: number): number;
  /** Address of the last document's location, or 0; below, its bytes. */
  jsonWalkerPoint(walker: number): number;
  jsonWalkerPointBytes(walker: number): number;
  jsonWalkerGeometry(walker: number): number;
  jsonWalkerGeometryBytes(walker: number): number;
}
