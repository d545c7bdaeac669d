// Finds the reader for an unpacked dump, by the version that wrote it. Called by import.ts.
import type { Storage } from "../../storage/storage.ts";
import type { DumpContent } from "./dumpcontent.ts";
import { readWhole } from "./files.ts";
import { objectOf } from "./put.ts";
import { Version1 } from "./version1.ts";
import { Version2 } from "./version2.ts";
import { Version4 } from "./version4.ts";
import { Version6 } from "./version6.ts";

/** The content of the dump that was unpacked into a folder. */
export function openContent(storage: Storage, folder: string): DumpContent {
  const metadata = objectOf(JSON.parse(readWhole(storage, `${folder}/metadata.json`)));
  switch (metadata.dumpVersion) {
    case "V1":
      return new Version1(storage, folder, metadata);
    case "V2":
    case "V3":
      return new Version2(storage, folder, metadata.dumpVersion);
    case "V4":
    case "V5":
      return new Version4(storage, folder, metadata.dumpVersion);
    case "V6":
      return new Version6(storage, folder);
    default:
      throw new TypeError(
        `its \`dumpVersion\` is ${JSON.stringify(metadata.dumpVersion)}: V1 to V6 are read`,
      );
  }
}
