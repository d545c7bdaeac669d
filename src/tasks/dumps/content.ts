// Finds the reader for an unpacked dump, by the version that wrote it. Called by import.ts.
import type { DumpContent } from "./dumpcontent.ts";
import { readWhole } from "./files.ts";
import { objectOf } from "./put.ts";
import type { DumpFiles } from "./unpackedfiles.ts";
import { Version1 } from "./version1.ts";
import { Version2 } from "./version2.ts";
import { Version4 } from "./version4.ts";
import { Version6 } from "./version6.ts";

/** The content of a dump that was unpacked. */
export function openContent(files: DumpFiles): DumpContent {
  const metadata = objectOf(JSON.parse(readWhole(files, "metadata.json")));
  switch (metadata.dumpVersion) {
    case "V1":
      return new Version1(files, metadata);
    case "V2":
    case "V3":
      return new Version2(files, metadata.dumpVersion);
    case "V4":
    case "V5":
      return new Version4(files, metadata.dumpVersion);
    case "V6":
      return new Version6(files);
    default:
      throw new TypeError(
        `its \`dumpVersion\` is ${JSON.stringify(metadata.dumpVersion)}: V1 to V6 are read`,
      );
  }
}
