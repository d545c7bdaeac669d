// Reads dumps of the layout V6, which is written today: see dump.ts.
import { join, type Storage } from "../../storage/storage.ts";
import { parseMoment } from "../time.ts";
import type { DumpContent, DumpedIndex, DumpedTask } from "./dumpcontent.ts";
import { readJsonLines, readJsonLinesIfAny, readWhole } from "./files.ts";
import { objectOf } from "./put.ts";
import { type BatchLine, isWaiting, type TaskLine } from "./tasklines.ts";

export class Version6 implements DumpContent {
  readonly #storage: Storage;
  readonly #folder: string;

  constructor(storage: Storage, folder: string) {
    this.#storage = storage;
    this.#folder = folder;
  }

  instanceUid(): string | null {
    return this.part("instance_uid.uuid")?.trim() ?? null;
  }

  part(file: string): string | null {
    const name = join(this.#folder, file);
    return this.#storage.exists(name) ? readWhole(this.#storage, name) : null;
  }

  *indexes(): Generator<DumpedIndex> {
    for (const name of this.#storage.listFolders(join(this.#folder, "indexes"))) {
      const folder = join(join(this.#folder, "indexes"), name);
      const metadata = objectOf(JSON.parse(readWhole(this.#storage, join(folder, "metadata.json"))));
      const { uid, primaryKey = null, createdAt } = metadata;
      yield {
        uid,
        primaryKey,
        createdAt: typeof createdAt === "string" ? parseMoment(createdAt) : null,
        settings: JSON.parse(readWhole(this.#storage, join(folder, "settings.json"))),
        documents: join(folder, "documents.jsonl"),
      };
    }
  }

  *tasks(): Generator<DumpedTask> {
    const queue = join(this.#folder, "tasks/queue.jsonl");
    for (const line of readJsonLines<TaskLine>(this.#storage, queue)) {
      const file = join(this.#folder, `tasks/update_files/${line.uid}.jsonl`);
      const waits = isWaiting(line.status);
      yield { line, payload: waits && this.#storage.exists(file) ? { file, format: "ndjson" } : null };
    }
  }

  batches(): Iterable<BatchLine> {
    return readJsonLinesIfAny<BatchLine>(this.#storage, join(this.#folder, "batches/queue.jsonl"));
  }
}
