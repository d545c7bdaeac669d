// Reads dumps of the layout V6, which is written today: see dump.ts.
import { join } from "../../storage/storage.ts";
import { parseMoment } from "../time.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { readJsonLines, readJsonLinesIfAny, readWhole } from "./files.ts";
import { objectOf } from "./put.ts";
import { type BatchLine, isWaiting, type TaskLine } from "./tasklines.ts";
import type { DumpFiles } from "./unpackedfiles.ts";

export class Version6 implements DumpContent {
  readonly #files: DumpFiles;

  constructor(files: DumpFiles) {
    this.#files = files;
  }

  instanceUid(): string | null {
    return this.part("instance_uid.uuid")?.trim() ?? null;
  }

  part(file: string): string | null {
    return this.#files.exists(file) ? readWhole(this.#files, file) : null;
  }

  *indexes(): Generator<DumpedIndex> {
    for (const name of this.#files.listFolders("indexes")) {
      const folder = join("indexes", name);
      const metadata = objectOf(JSON.parse(readWhole(this.#files, join(folder, "metadata.json"))));
      const { uid, primaryKey = null, createdAt } = metadata;
      yield {
        uid,
        primaryKey,
        createdAt: typeof createdAt === "string" ? parseMoment(createdAt) : null,
        settings: JSON.parse(readWhole(this.#files, join(folder, "settings.json"))),
        documents: join(folder, "documents.jsonl"),
      };
    }
  }

  *tasks(): Generator<DumpedTask> {
    for (const line of readJsonLines<TaskLine>(this.#files, "tasks/queue.jsonl")) {
      const file = `tasks/update_files/${line.uid}.jsonl`;
      const waits = isWaiting(line.status);
      yield { line, payload: waits && this.#files.exists(file) ? { file, format: "ndjson" } : null };
    }
  }

  batches(): Iterable<BatchLine> {
    return readJsonLinesIfAny<BatchLine>(this.#files, "batches/queue.jsonl");
  }
}
