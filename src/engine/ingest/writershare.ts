// What the writers of all indexes (writer.ts) share: one set in a write thread.
import type { EmbedderProvider } from "../../embedders/embedder.ts";
import type { ReaderShare } from "../reader.ts";
import type { IndexingShare } from "./indexing.ts";

export interface WriterShare extends ReaderShare {
  indexing: IndexingShare;
  embedders: EmbedderProvider;
}
