// The kernels of the tables of document ids (assembly/identifiers.ts, assembly/identifier-section.ts).

export interface IdentifiersExports {
  identifiersStart(table: number, bytes: number): number;
  identifiersPut(table: number, id: number, length: number): number;
  identifiersPutRows(table: number, rows: number, count: number, out: number): number;
  identifiersCount(table: number): number;
  identifiersText(table: number, entry: number): number;
  identifiersTextLength(table: number, entry: number): number;
  identifiersLookup(table: number, firstEntry: number, count: number, section: number, out: number): void;
  idSectionBytes(count: number, idBytes: number): number;
  idSectionBuild(section: number, ids: number, count: number): number;
  idSectionCheck(section: number, bytes: number): number;
  idSectionCount(section: number): number;
  idSectionFind(section: number, id: number, length: number): number;
  idSectionText(section: number, ordinal: number, out: number): number;
}
