// The process that logs.test.ts kills: commits without end, and after each commit says on its output how many
// records and which version of the manifest are acknowledged. Argument: the folder.
import { writeSync } from "node:fs";
import { ManifestLog } from "../../src/segment/manifest.ts";
import { emptyState } from "../../src/segment/manifeststate.ts";
import { FileStorage } from "../../src/storage/file.ts";
import { RecordLog } from "../../src/storage/recordlog.ts";
import { bytes } from "../storage/cases.ts";

const storage = new FileStorage(process.argv[2]);
let records = 0;
const journal = RecordLog.open(storage, "journal", "KILL", () => records++);
const manifest = ManifestLog.open(storage, "index", 0);
for (;;) {
  const commits = Array.from({ length: 10 }, () => {
    journal.append(bytes(String(++records)));
    return journal.commit();
  });
  await Promise.all(commits);
  const version = manifest.state.version + 1;
  manifest.commit({ ...emptyState(), primaryKey: `key ${version}` });
  writeSync(1, `${records} ${version}\n`);
  if (version % 7 === 0) for (const name of manifest.obsoleteFiles(0)) storage.remove(`index/${name}`);
  if (version % 11 === 0) {
    await journal.replaceLater(Array.from({ length: records }, (_, i) => bytes(String(i + 1))));
  }
}
