// /indexes/{uid}/settings and the route of each setting. A change is a task; reading asks the engine.
import type { FastifyRequest } from "fastify";
import { type TSchema, Type } from "typebox";
import { DOCUMENT_TEMPLATE_DEFAULT, DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX } from "../embedders/defaults.ts";
import { checkEmbedderTemplates } from "../engine/embeddertemplates.ts";
import { resetPatch } from "../engine/settings.ts";
import { checkSettingsPatch } from "../engine/settingscheck.ts";
import { shownPatch, shownSettings } from "../engine/settingsview.ts";
import { type SettingName, SettingsPatch, settingsCodes, settingsFields } from "../schemas/settings.ts";
import type { SummarizedTask } from "../tasks/views.ts";
import { accessOf } from "./access.ts";
import type { App, Services } from "./app.ts";
import { isFeatureOn } from "./features.ts";
import { indexUidOf } from "./paths.ts";
import { sharingOf } from "./sharing.ts";

export function addSettingsRoutes(app: App, services: Services): void {
  const { instance, engine } = services;
  const read = { config: { action: "settings.get" as const } };
  const write = { config: { action: "settings.update" as const } };
  const url = "/indexes/:indexUid/settings";

  app.get(url, read, async (request) =>
    shownSettings(await engine.settings(instance.handle(indexUidOf(request)))),
  );
  app.patch(url, { ...write, schema: { body: SettingsPatch } }, async (request, reply) => {
    reply.code(202);
    return update(services, request, request.body);
  });
  app.delete(url, write, async (request, reply) => {
    reply.code(202);
    return reset(services, request, resetPatch(), "");
  });
  for (const [path, name] of SETTING_PATHS) addSettingRoutes(app, services, `${url}/${path}`, name);
}

/** Last part of the path -> setting. */
const SETTING_PATHS: [path: string, name: SettingName][] = [
  ["displayed-attributes", "displayedAttributes"],
  ["searchable-attributes", "searchableAttributes"],
  ["filterable-attributes", "filterableAttributes"],
  ["sortable-attributes", "sortableAttributes"],
  ["foreign-keys", "foreignKeys"],
  ["ranking-rules", "rankingRules"],
  ["stop-words", "stopWords"],
  ["non-separator-tokens", "nonSeparatorTokens"],
  ["separator-tokens", "separatorTokens"],
  ["dictionary", "dictionary"],
  ["synonyms", "synonyms"],
  ["distinct-attribute", "distinctAttribute"],
  ["proximity-precision", "proximityPrecision"],
  ["typo-tolerance", "typoTolerance"],
  ["faceting", "faceting"],
  ["pagination", "pagination"],
  ["embedders", "embedders"],
  ["search-cutoff-ms", "searchCutoffMs"],
  ["localized-attributes", "localizedAttributes"],
  ["facet-search", "facetSearch"],
  ["prefix-search", "prefixSearch"],
  ["chat", "chat"],
];

/** These merge field by field, and so are patched; the others are replaced, and so are put. */
const MERGED: readonly SettingName[] = ["typoTolerance", "faceting", "pagination", "embedders", "chat"];

/** Settings that are accepted but not built: what reading them answers. */
const UNBUILT: Partial<Record<SettingName, unknown>> = {
  foreignKeys: [],
  chat: {
    description: "",
    documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
    documentTemplateMaxBytes: DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX,
    searchParameters: {},
  },
};

function addSettingRoutes(app: App, services: Services, url: string, name: SettingName): void {
  const { instance, engine } = services;
  app.get(url, { config: { action: "settings.get" } }, async (request, reply) => {
    const settings = shownSettings(await engine.settings(instance.handle(indexUidOf(request))));
    // A bare string or null would not be sent as JSON.
    reply.type("application/json");
    return JSON.stringify(settings[name] ?? UNBUILT[name] ?? null);
  });

  app.route({
    url,
    method: MERGED.includes(name) ? "PATCH" : "PUT",
    config: { action: "settings.update" },
    schema: { body: bodyOf(name) },
    handler: async (request, reply) => {
      reply.code(202);
      return update(services, request, { [name]: request.body });
    },
  });

  app.delete(url, { config: { action: "settings.update" } }, async (request, reply) => {
    reply.code(202);
    return reset(services, request, { [name]: null }, `/${url.slice(url.lastIndexOf("/") + 1)}`);
  });
}

/** The schema of one setting as a body of its own: what is wrong with it has the code of the setting. */
function bodyOf(name: SettingName): TSchema {
  const { "~optional": _, ...schema } = settingsFields[name] as TSchema & { "~optional"?: unknown };
  return Type.Unsafe({ ...schema, "x-code": settingsCodes[name] });
}

async function update(
  services: Services,
  request: FastifyRequest,
  patch: SettingsPatch,
): Promise<SummarizedTask> {
  const { instance } = services;
  const indexUid = indexUidOf(request);
  checkSettingsPatch(patch, (feature) => isFeatureOn(instance, feature));
  if (patch.embedders) await checkEmbedderTemplates(patch.embedders);
  const allowIndexCreation = accessOf(request).mayCreate(indexUid);
  const shown = shownPatch(patch);
  return sharingOf(services, request).register(
    { type: "settingsUpdate", indexUid, patch, shown, isDeletion: false, allowIndexCreation },
    { method: "PATCH", path: `/indexes/${indexUid}/settings`, body: { json: patch } },
  );
}

/** A reset never creates the index. `path`: of one setting, or nothing. */
function reset(
  services: Services,
  request: FastifyRequest,
  patch: SettingsPatch,
  path: string,
): Promise<SummarizedTask> {
  const indexUid = indexUidOf(request);
  const work = {
    type: "settingsUpdate" as const,
    indexUid,
    patch,
    shown: shownPatch(patch),
    isDeletion: true,
  };
  return sharingOf(services, request).register(
    { ...work, allowIndexCreation: false },
    { method: "DELETE", path: `/indexes/${indexUid}/settings${path}`, body: null },
  );
}
