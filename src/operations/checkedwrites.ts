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
import type { SummarizedTask } from "../tasks/views.ts";
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
  const { instance } = services;
  const local = new LocalOperations(services, OWNER);
  const inOrder: InOrder = (write) =>
    instance.inOrder((place) => write(new LocalOperations(services, { ...OWNER, place })));
  // These choose among the tasks that there are: those of writes called before must be there.
  const afterOthers = (write: () => Promise<SummarizedTask>) =>
    instance.inOrder(({ settled }) => settled.then(write));
  return {
    ...documentWrites(local, inOrder),
    ...settingsOperations(local, inOrder),
    ...indexWrites(inOrder),
    cancelTasks: (query: TaskQuery, original: string) =>
      afterOthers(() => local.cancelTasks(query, original)),
    deleteTasks: (query: TaskQuery, original: string) =>
      afterOthers(() => local.deleteTasks(query, original)),
    setFeatures: async (features: unknown) => local.setFeatures(check.features(features)),
  };
}

/** Runs a write whose task comes after those of all writes that were called before. */
type InOrder = (write: (local: LocalOperations) => Promise<SummarizedTask>) => Promise<SummarizedTask>;

function documentWrites(unordered: LocalOperations, inOrder: InOrder) {
  return {
    addDocuments: async (indexUid: string, pieces: AsyncIterable<Uint8Array>, addition: Addition) => {
      const { method, isWhole, ...options } = addition;
      check.addition(options);
      if (options.csvDelimiter !== undefined && options.format !== "csv") {
        const details = { expected: "none beside a format other than `csv`", found: "one" };
        throw new TarsierError("invalid_document_csv_delimiter", {
          place: "Field `.csvDelimiter`",
          ...details,
        });
      }
      const write = (local: LocalOperations) => local.addDocuments(indexUid, pieces, { ...options, method });
      return isWhole ? inOrder(write) : write(unordered);
    },
    deleteDocuments: async (indexUid: string, deletion: Deletion, options: WriteOptions) => {
      if (deletion.by === "ids") check.ids(deletion.ids);
      if (deletion.by === "filter") check.byFilter({ filter: deletion.filter });
      const kept = copied(deletion, "invalid_document_filter");
      const checked = check.write(options);
      return inOrder((local) => local.deleteDocuments(indexUid, kept, checked));
    },
    editDocuments: async (indexUid: string, edit: Edit, options: WriteOptions) => {
      check.edit(edit);
      checkDepth(edit, "invalid_document_edition_context");
      const kept = copied(edit, "invalid_document_edition_context");
      const checked = check.write(options);
      return inOrder((local) => local.editDocuments(indexUid, kept, checked));
    },
  };
}

function settingsOperations(unordered: LocalOperations, inOrder: InOrder) {
  return {
    // A copy: without threads in between, the engine would hand out its own object.
    settings: async (indexUid: string) => structuredClone(await unordered.settings(indexUid)),
    updateSettings: async (indexUid: string, patch: unknown) => {
      const settings = check.settings(patch);
      checkDepth(settings, "invalid_settings_embedders");
      // Checked again: dates and the like pass for objects, and are texts in their JSON.
      const kept = check.settings(copied(settings, "invalid_settings_embedders"));
      return inOrder((local) => local.updateSettings(indexUid, kept));
    },
    resetSettings: async (indexUid: string, names: unknown) => {
      const checked = names === null ? null : check.settingNames(names);
      return inOrder((local) => local.resetSettings(indexUid, checked));
    },
  };
}

function indexWrites(inOrder: InOrder) {
  return {
    createIndex: async (body: unknown) => {
      const index = check.index(body);
      return inOrder((local) => local.createIndex(index));
    },
    updateIndex: async (indexUid: string, body: unknown) => {
      const patch = check.indexPatch(body);
      return inOrder((local) => local.updateIndex(indexUid, patch));
    },
    deleteIndex: (indexUid: string) => inOrder((local) => local.deleteIndex(indexUid)),
    compactIndex: (indexUid: string) => inOrder((local) => local.compactIndex(indexUid)),
    swapIndexes: async (swaps: unknown) => {
      const checked = check.swaps(swaps);
      return inOrder((local) => local.swapIndexes(checked));
    },
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
