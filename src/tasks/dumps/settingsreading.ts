// Makes a patch for the engine from settings of a dump: unknown fields are left out, and what older versions
// implied is stated. Called by import.ts for indexes and by taskreading.ts for tasks.
import { checkSettingsPatch } from "../../engine/settingscheck.ts";
import { EMBEDDER_FIELDS } from "../../schemas/embedders.ts";
import { boundedPatch, SettingsPatch, settingsFields } from "../../schemas/settings.ts";
import { checker } from "../../schemas/validator.ts";
import { objectOf } from "./put.ts";

/**
 * `strict`: the settings will be used, so a value that is not allowed is refused. Otherwise they are history,
 * and such a value is left out.
 * @throws TarsierError, TypeError
 */
export function readSettings(value: unknown, strict: boolean): SettingsPatch {
  const known = Object.entries(objectOf(value)).filter(([name]) => Object.hasOwn(settingsFields, name));
  const fields = known.map(([name, field]) => [name, name === "embedders" ? readEmbedders(field) : field]);
  if (!strict) {
    const allowed = fields.filter(([name, field]) => isAllowed(name as string, field));
    return boundedPatch(Object.fromEntries(allowed));
  }
  const patch = boundedPatch(check(Object.fromEntries(fields)));
  checkSettingsPatch(patch, () => true);
  return patch;
}

const check = checker(SettingsPatch);

function isAllowed(name: string, field: unknown): boolean {
  try {
    check({ [name]: field });
    return true;
  } catch {
    return false;
  }
}

function readEmbedders(value: unknown): unknown {
  if (value === null) return null;
  const embedders = Object.entries(objectOf(value));
  return Object.fromEntries(embedders.map(([name, one]) => [name, one === null ? null : readEmbedder(one)]));
}

function readEmbedder(value: unknown): Record<string, unknown> {
  const embedder = objectOf(value);
  const known = EMBEDDER_FIELDS.filter((name) => embedder[name] !== undefined);
  const fields: Record<string, unknown> = Object.fromEntries(known.map((name) => [name, embedder[name]]));
  // Before the setting existed, pooling was by the mean.
  if (fields.source === "huggingFace") fields.pooling ??= "forceMean";
  return fields;
}
