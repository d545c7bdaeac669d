// All targets of the fuzzers, in the order in which bytes meet them.
import type { Target } from "./fuzzing.ts";
import { archiveTargets } from "./targets/archives.ts";
import { editTargets } from "./targets/edits.ts";
import { expressionTargets } from "./targets/expressions.ts";
import { fileTargets } from "./targets/files.ts";
import { launchTargets } from "./targets/launches.ts";
import { payloadTargets } from "./targets/payloads.ts";
import { requestTargets } from "./targets/requests.ts";
import { templateTargets } from "./targets/templates.ts";
import { tokenTargets } from "./targets/tokens.ts";
import { vectorTargets } from "./targets/vectors.ts";

export const targets: readonly Target[] = [
  ...launchTargets,
  ...requestTargets,
  ...tokenTargets,
  ...payloadTargets,
  ...expressionTargets,
  ...vectorTargets,
  ...templateTargets,
  ...editTargets,
  ...archiveTargets,
  ...fileTargets,
];
