// /indexes/{uid}/settings and a route for each setting. A change is a task; reading asks the engine.
import type { TSchema } from "typebox";
import * as Type from "typebox";
import { kebabCase } from "../kebabcase.ts";
import { type SettingName, SettingsPatch, settingsCodes, settingsFields } from "../schemas/settings.ts";
import type { App, Services } from "./app.ts";
import { operationsOf } from "./operations.ts";
import { indexUidOf } from "./paths.ts";
import { settingsText, settingText } from "./settingstext.ts";

export function addSettingsRoutes(app: App, services: Services): void {
  const read = { config: { action: "settings.get" as const } };
  const write = { config: { action: "settings.update" as const } };
  const url = "/indexes/:indexUid/settings";

  app.get(url, read, async (request, reply) => {
    const settings = await operationsOf(services, request).settings(indexUidOf(request));
    reply.type("application/json");
    return settingsText(settings);
  });
  app.patch(url, { ...write, schema: { body: SettingsPatch } }, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).updateSettings(indexUidOf(request), request.body);
  });
  app.delete(url, write, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).resetSettings(indexUidOf(request), null);
  });
  for (const name of ROUTED) addSettingRoutes(app, services, `${url}/${kebabCase(name)}`, name);
}

/** Settings with their own route, whose path ends with the name. */
const ROUTED: readonly SettingName[] = [
  "displayedAttributes",
  "searchableAttributes",
  "filterableAttributes",
  "sortableAttributes",
  "foreignKeys",
  "rankingRules",
  "stopWords",
  "nonSeparatorTokens",
  "separatorTokens",
  "dictionary",
  "synonyms",
  "distinctAttribute",
  "proximityPrecision",
  "typoTolerance",
  "faceting",
  "pagination",
  "embedders",
  "searchCutoffMs",
  "localizedAttributes",
  "facetSearch",
  "prefixSearch",
  "chat",
];

/** These are merged field by field, hence PATCH; the others are replaced, hence PUT. */
const MERGED: readonly SettingName[] = ["typoTolerance", "faceting", "pagination", "embedders", "chat"];

function addSettingRoutes(app: App, services: Services, url: string, name: SettingName): void {
  app.get(url, { config: { action: "settings.get" } }, async (request, reply) => {
    const value = await operationsOf(services, request).setting(indexUidOf(request), name);
    // fastify would not send a bare string or null as JSON.
    reply.type("application/json");
    return settingText(name, value);
  });

  app.route({
    url,
    method: MERGED.includes(name) ? "PATCH" : "PUT",
    config: { action: "settings.update" },
    schema: { body: bodyOf(name) },
    handler: async (request, reply) => {
      reply.code(202);
      return operationsOf(services, request).updateSettings(indexUidOf(request), { [name]: request.body });
    },
  });

  app.delete(url, { config: { action: "settings.update" } }, async (request, reply) => {
    reply.code(202);
    return operationsOf(services, request).resetSettings(indexUidOf(request), [name]);
  });
}

/** The schema of one setting as a whole body: all that is wrong with it has the code of the setting. */
function bodyOf(name: SettingName): TSchema {
  const { "~optional": _, ...schema } = settingsFields[name] as TSchema & { "~optional"?: unknown };
  return Type.Unsafe({ ...schema, "x-code": settingsCodes[name] });
}
