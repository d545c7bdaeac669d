// The types of everything that the core exports, put together from the files of exports/, which have a family
// of kernels each.
import type { BitmapExports } from "./exports/bitmap.ts";
import type { ColumnsExports } from "./exports/columns.ts";
import type { Crc32cExports } from "./exports/crc32c.ts";
import type { DictionaryExports } from "./exports/dictionary.ts";
import type { IdentifiersExports } from "./exports/identifiers.ts";
import type { InverterExports } from "./exports/inverter.ts";
import type { JsonExports } from "./exports/json.ts";
import type { Lz4Exports } from "./exports/lz4.ts";
import type { PostingsExports } from "./exports/postings.ts";
import type { RankingExports } from "./exports/ranking.ts";
import type { SearchExports } from "./exports/search.ts";
import type { TermStartsExports } from "./exports/termstarts.ts";
import type { TokenizerExports } from "./exports/tokenizer.ts";
import type { GraphExports } from "./exports/vectorgraph.ts";
import type { VectorsExports } from "./exports/vectors.ts";

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
