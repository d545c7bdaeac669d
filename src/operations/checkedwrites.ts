// The checked operations (checked.ts) that write, and the settings. A page loads this file with the first of
// these calls (src/browser/opening.ts).
import { type ErrorCode, messageOf, TarsierError } from "../errors.ts";
import type { Addition, Deletion, TaskQuery } from "../library/operations.ts";
import type { Edit, WriteOptions } from "../library/store.ts";
import { isDeeper, JSON_DEPTH_MAX } from "../schemas/depth.ts";
import {
  AdditionOptionsBody,
  DeleteByFilterBody,
  EditBody,
  IdsBody,
  WriteOptionsBody,
} from "../schemas/documents.ts";
import { FeaturesBody } from "../schemas/features.ts";
import { IndexBody, IndexPatch, SwapBody } from "../schemas/indexes.ts";
import { SettingNames, SettingsPatch } from "../schemas/settings.ts";
import { checker } from "../schemas/validator.ts";
import { OWNER, type Writes } from "./checkedreads.ts";
import { LocalOperations } from "./local.ts";
import type { OperationServices } from "./services.ts";

const check = {
  addition: checker(AdditionOptionsBody),
  write: checker(WriteOptionsBody),
  ids: checker(IdsBody),
  byFilter: checker(DeleteByFilterBody),
  edit: checker(EditBody),
  settings: checker(SettingsPatch),
  settingNames: checker(SettingNames),
  index: checker(IndexBody),
  indexPatch: checker(IndexPatch),
  swaps: checker(SwapBody),
  features: checker(FeaturesBody),
};

export function checkedWrites(services: OperationServices): Writes {
  const local = new LocalOperations(services, OWNER);
  return {
    ...documentWrites(local),
    ...settingsOperations(local),
    ...indexWrites(local),
    cancelTasks: (query: TaskQuery, original: string) => local.cancelTasks(query, original),
    deleteTasks: (query: TaskQuery, original: string) => local.deleteTasks(query, original),
    setFeatures: async (features: unknown) => local.setFeatures(check.features(features)),
  };
}

function documentWrites(local: LocalOperations) {
  return {
    addDocuments: async (indexUid: string, pieces: AsyncIterable<Uint8Array>, addition: Addition) => {
      const { method, ...options } = addition;
      check.addition(options);
      if (options.csvDelimiter !== undefined && options.format !== "csv") {
        const details = { expected: "none beside a format other than `csv`", found: "one" };
        throw new TarsierError("invalid_document_csv_delimiter", {
          place: "Field `.csvDelimiter`",
          ...details,
        });
      }
      return local.addDocuments(indexUid, pieces, addition);
    },
    deleteDocuments: async (indexUid: string, deletion: Deletion, options: WriteOptions) => {
      if (deletion.by === "ids") check.ids(deletion.ids);
      if (deletion.by === "filter") check.byFilter({ filter: deletion.filter });
      const kept = copied(deletion, "invalid_document_filter");
      return local.deleteDocuments(indexUid, kept, check.write(options));
    },
    editDocuments: async (indexUid: string, edit: Edit, options: WriteOptions) => {
      check.edit(edit);
      checkDepth(edit, "invalid_document_edition_context");
      const kept = copied(edit, "invalid_document_edition_context");
      return local.editDocuments(indexUid, kept, check.write(options));
    },
  };
}

function settingsOperations(local: LocalOperations) {
  return {
    // A copy: without threads in between, the engine would hand out its own object.
    settings: async (indexUid: string) => structuredClone(await local.settings(indexUid)),
    updateSettings: async (indexUid: string, patch: unknown) => {
      const settings = check.settings(patch);
      checkDepth(settings, "invalid_settings_embedders");
      return local.updateSettings(indexUid, copied(settings, "invalid_settings_embedders"));
    },
    resetSettings: async (indexUid: string, names: unknown) =>
      local.resetSettings(indexUid, names === null ? null : check.settingNames(names)),
  };
}

function indexWrites(local: LocalOperations) {
  return {
    createIndex: async (body: unknown) => local.createIndex(check.index(body)),
    updateIndex: async (indexUid: string, body: unknown) =>
      local.updateIndex(indexUid, check.indexPatch(body)),
    deleteIndex: (indexUid: string) => local.deleteIndex(indexUid),
    compactIndex: (indexUid: string) => local.compactIndex(indexUid),
    swapIndexes: async (swaps: unknown) => local.swapIndexes(check.swaps(swaps)),
  };
}

/** `code`: that of the parameter that may hold any JSON. */
function checkDepth(parameters: object, code: ErrorCode): void {
  if (!isDeeper(parameters, JSON_DEPTH_MAX)) return;
  const message = `The parameters are nested deeper than ${JSON_DEPTH_MAX} levels, or hold themselves`;
  throw new TarsierError(code, { message });
}

/**
 * A copy of checked parameters: the caller may change its own while they wait. `code`: that of the parameter
 * that may hold any JSON.
 */
function copied<Parameters extends object>(parameters: Parameters, code: ErrorCode): Parameters {
  try {
    return JSON.parse(JSON.stringify(parameters));
  } catch (error) {
    throw new TarsierError(code, { message: `The parameters have no JSON: ${messageOf(error)}` });
  }
}
