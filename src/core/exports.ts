// The types of everything that the core exports, put together from the files that wrap each family of
// kernels.
import type { BitmapExports } from "./bitmap.ts";
import type { ColumnsExports } from "./columns.ts";
import type { Crc32cExports } from "./crc32c.ts";
import type { DictionaryExports } from "./dictionary.ts";
import type { IdentifiersExports } from "./identifiers.ts";
import type { InverterExports } from "./inverter.ts";
import type { JsonExports } from "./json.ts";
import type { Lz4Exports } from "./lz4.ts";
import type { PostingsExports } from "./postings.ts";
import type { RankingExports } from "./ranking.ts";
import type { SearchExports } from "./search.ts";
import type { TermStartsExports } from "./termstarts.ts";
import type { TokenizerExports } from "./tokenizer.ts";
import type { GraphExports } from "./vectorgraph.ts";
import type { VectorsExports } from "./vectors.ts";

export interface CoreExports
  extends BitmapExports,
    ColumnsExports,
    Crc32cExports,
    DictionaryExports,
    GraphExports,
    IdentifiersExports,
    InverterExports,
    JsonExports,
    Lz4Exports,
    PostingsExports,
    RankingExports,
    SearchExports,
    TermStartsExports,
    TokenizerExports,
    VectorsExports {
  documentBlock(rows: number, blocks: number, ordinal: number): number;
  documentStart(lengths: number, count: number): number;
  heapBase(): number;
  memoryFill(at: number, value: number, bytes: number): void;
  memoryCopy(to: number, from: number, bytes: number): void;
}
