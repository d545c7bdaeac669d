// Checks of embedders that a schema cannot express: the fields of their source, their model, their templates.
// A patch is checked as it arrives (settingscheck.ts), and the settings that result from it in the task
// (embeddersettings.ts).
import { OPENAI_MODEL_DEFAULT, OPENAI_MODELS } from "../embedders/defaults.ts";
import { userFault } from "../embedders/faults.ts";
import { checkFit, OLLAMA_PATHS, parseRequest, parseResponse, restTemplates } from "../embedders/presets.ts";
import { parsedUrl } from "../outbound/urls.ts";
import type {
  EmbedderPatch,
  EmbedderSettings,
  EmbeddersPatch,
  SubEmbedderPatch,
} from "../schemas/embedders.ts";
import { nameList } from "../schemas/phrases.ts";
import {
  checkFieldsPresent,
  checkFieldsTaken,
  type EmbedderPlace,
  fieldPlace,
  refusal,
} from "./embedderfields.ts";
import type { TemplateCheck } from "./embeddertemplates.ts";

export const HALVES = ["searchEmbedder", "indexingEmbedder"] as const;

/**
 * Longest embedder, in letters of JSON. It goes along with every query to the thread that embeds the query.
 */
const EMBEDDER_LETTERS_MAX = 2 ** 19;

/**
 * Checks a patch by itself: the fields that it leaves out are only known in the task. `templates`: when
 * missing, templates are not read.
 */
export function checkEmbedderPatches(patches: EmbeddersPatch, templates?: TemplateCheck): void {
  for (const [name, patch] of Object.entries(patches)) {
    if (patch === null) continue;
    checkLength(name, patch);
    checkPatch({ name, half: null }, patch, templates);
    for (const half of HALVES) {
      const inner = patch[half];
      if (!inner) continue;
      if (patch.source) checkHalfSource({ name, half }, inner);
      checkPatch({ name, half }, inner, templates);
    }
  }
}

function checkLength(name: string, embedder: object): void {
  const letters = JSON.stringify(embedder).length;
  if (letters <= EMBEDDER_LETTERS_MAX) return;
  throw refusal(
    `Field \`.embedders.${name}\``,
    `at most ${EMBEDDER_LETTERS_MAX} letters of JSON`,
    `${letters}`,
  );
}

/** The source of a half must be given: it has no default. */
export function checkHalfSource(place: EmbedderPlace, { source }: SubEmbedderPatch): void {
  if (!source) throw refusal(fieldPlace(place, "source"), "the source of this half", "none");
}

/**
 * When several things are wrong, the first one in this order is reported: the order decides the error code.
 */
function checkPatch(
  place: EmbedderPlace,
  patch: EmbedderPatch | SubEmbedderPatch,
  templates: TemplateCheck | undefined,
): void {
  const { source } = patch;
  templates?.documentTemplate(place.name, patch);
  if (typeof patch.url === "string") checkUrl(place, patch.url);
  checkRestPatch(place, patch, templates);
  if (!source) return;
  checkFieldsTaken(place, patch, source);
  checkFieldsPresent(place, patch, source);
  if (source === "openAi" && patch.model) checkOpenAiModel(place, patch.model, patch.dimensions ?? null);
}

function checkRestPatch(
  { name }: EmbedderPlace,
  patch: EmbedderPatch | SubEmbedderPatch,
  templates: TemplateCheck | undefined,
): void {
  const { source, request, response, indexingFragments, searchFragments } = patch;
  const givesFragments = holdsFragments(indexingFragments) || holdsFragments(searchFragments);
  if (givesFragments && typeof patch.documentTemplate === "string") {
    throw userFault(name, "an embedder takes either `documentTemplate` or fragments, not both");
  }
  templates?.fragments(name, patch);
  const resetsFragments = indexingFragments === null || searchFragments === null;
  // Without fragments in the patch it is not yet known which placeholder the request has to hold.
  const takesFragments = givesFragments || (resetsFragments ? false : null);
  const asks = isGiven(request) ? parseRequest(name, request, takesFragments) : null;
  // Missing fields are reported first.
  if (asks === null && source) return;
  const answers = isGiven(response) ? parseResponse(name, response) : null;
  if (asks !== null && answers !== null) checkFit(name, asks, answers);
}

/** Checks an embedder with all its fields, as they are after a patch. */
export function checkEmbedder(place: EmbedderPlace, embedder: EmbedderSettings): void {
  const { source, url, model = OPENAI_MODEL_DEFAULT, dimensions = null } = embedder;
  if (place.half === null) checkLength(place.name, embedder);
  checkFieldsTaken(place, embedder, source);
  checkFieldsPresent(place, embedder, source);
  if (url !== undefined) checkUrl(place, url);
  if (source === "openAi") checkOpenAiModel(place, model, dimensions);
  if (source === "ollama" && url !== undefined && !OLLAMA_PATHS.some((path) => url.endsWith(path))) {
    throw userFault(place.name, `an ollama url ends in ${nameList(OLLAMA_PATHS)}, which \`${url}\` does not`);
  }
  if (source === "rest") checkRest(place, embedder);
  if (source !== "composite") return;
  for (const half of HALVES) {
    const inner = embedder[half] as EmbedderSettings;
    checkEmbedder({ ...place, half }, inner);
  }
}

function checkRest({ name, half }: EmbedderPlace, embedder: EmbedderSettings): void {
  const { indexingFragments, searchFragments, request, response, dimensions } = embedder;
  const indexes = holdsFragments(indexingFragments);
  const searches = holdsFragments(searchFragments);
  if (half === null && indexes !== searches) {
    const [given, absent] = indexes
      ? ["indexingFragments", "searchFragments"]
      : ["searchFragments", "indexingFragments"];
    throw userFault(name, `\`${given}\` need \`${absent}\`, of which there are none`);
  }
  if ((indexes || searches) && dimensions === undefined) {
    throw userFault(name, "its settings need `dimensions`, which cannot be found out with fragments");
  }
  restTemplates(name, request, response, indexes || searches);
}

function checkUrl(place: EmbedderPlace, url: string): void {
  if (parsedUrl(url) === null) throw refusal(fieldPlace(place, "url"), "an absolute URL", `\`${url}\``);
}

function checkOpenAiModel(place: EmbedderPlace, name: string, dimensions: number | null): void {
  const model = Object.hasOwn(OPENAI_MODELS, name) ? OPENAI_MODELS[name] : undefined;
  if (model === undefined) {
    const known = nameList(Object.keys(OPENAI_MODELS));
    throw refusal(fieldPlace(place, "model"), `one of ${known}`, `\`${name}\``);
  }
  if (dimensions === null || dimensions === model.dimensions) return;
  if (model.isShortenable && dimensions < model.dimensions) return;
  const most = `${model.isShortenable ? "at most " : ""}${model.dimensions}`;
  throw refusal(fieldPlace(place, "dimensions"), `${most}, which model \`${name}\` has`, `${dimensions}`);
}

function holdsFragments(fragments: EmbedderPatch["indexingFragments"]): boolean {
  return Object.values(fragments ?? {}).some((fragment) => fragment !== null);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
