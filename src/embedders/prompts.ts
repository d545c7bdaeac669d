// Makes what is embedded from documents and queries, by the templates of one embedder. Loaded when an
// embedder with templates is opened or settings with templates are checked: it brings the template engine.
import { compareBytes } from "../core/bytes.ts";
import { TarsierError } from "../errors.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { foundIn, nameList } from "../schemas/phrases.ts";
import { DOCUMENT_TEMPLATE_DEFAULT, withDefaults } from "./defaults.ts";
import { defaultText, shownFields } from "./documenttext.ts";
import type { EmbedderQuery, Prompt, PromptDocument } from "./embedder.ts";
import { userFault } from "./faults.ts";
import { LiquidTemplate } from "./liquid.ts";
import { orderedObject } from "./orderedobject.ts";
import { AnyDocument, visibleObject } from "./scope.ts";
import { cutToBytes } from "./texts.ts";
import { TemplateFailure } from "./written.ts";

type Fragments = NonNullable<EmbedderSettings["indexingFragments"]>;

/** Makes the prompt of a document as a text. */
export class TextPrompts {
  readonly #embedder: string;
  /** Null: the default template, used by most embedders, which is faster to render directly. */
  readonly #template: LiquidTemplate | null;
  readonly #bytesMax: number;

  /** Throws invalid_settings_embedders for a template that cannot be parsed. */
  constructor(embedder: string, settings: EmbedderSettings) {
    const { documentTemplate, documentTemplateMaxBytes } = withDefaults(settings);
    this.#embedder = embedder;
    const isDefault = documentTemplate === DOCUMENT_TEMPLATE_DEFAULT;
    this.#template = isDefault ? null : parseDocumentTemplate(embedder, documentTemplate ?? "");
    this.#bytesMax = documentTemplateMaxBytes as number;
  }

  /** Throws invalid_document_fields for a document that the template cannot render. */
  of({ id, fields, isSearchable }: PromptDocument): Prompt[] {
    const shown = shownFields(fields);
    try {
      const text =
        this.#template === null
          ? defaultText(shown, isSearchable, this.#bytesMax)
          : this.#template.render(documentVariables(shown, isSearchable));
      return [{ fragment: null, text: cutToBytes(text, this.#bytesMax) }];
    } catch (error) {
      if (!(error instanceof TemplateFailure)) throw error;
      const place = `Document \`${id}\`, \`documentTemplate\` of embedder \`${this.#embedder}\``;
      throw new TarsierError("invalid_document_fields", {
        message: `${place}: expected every variable to be a field of the document, but ${error.message}`,
      });
    }
  }
}

/**
 * Throws invalid_settings_embedders for a template that cannot be parsed, or that no document can have a text
 * by: most often `{{ title }}` is written for `{{ doc.title }}`.
 */
export function checkDocumentTemplate(embedder: string, source: string): void {
  const any = new AnyDocument();
  const fault = parseDocumentTemplate(embedder, source).faultWith(
    visibleObject([
      ["doc", any],
      ["fields", [{ name: "", value: any, is_searchable: true }]],
    ]),
  );
  if (fault !== null) throw wrongTemplate(embedder, fault);
}

/** Makes a prompt for each indexing fragment whose fields a document has. */
export class FragmentPrompts {
  readonly #fragments: NamedFragment[];

  /** Throws vector_embedding_error for a fragment that cannot be parsed. */
  constructor(embedder: string, fragments: Fragments) {
    this.#fragments = parseFragments(embedder, "indexingFragments", fragments);
  }

  of({ fields }: PromptDocument): Prompt[] {
    return renderAll(this.#fragments, [["doc", orderedObject(shownFields(fields))]]).map(
      ({ name, rendered }) => ({ fragment: name, text: JSON.stringify(rendered) }),
    );
  }
}

/** Renders the one search fragment whose fields a query has. */
export class QueryFragments {
  readonly #embedder: string;
  readonly #fragments: NamedFragment[];

  constructor(embedder: string, fragments: Fragments) {
    this.#embedder = embedder;
    this.#fragments = parseFragments(embedder, "searchFragments", fragments);
  }

  /** The rendered fragment as JSON. Throws vector_embedding_error unless it is exactly one. */
  of({ q, media }: EmbedderQuery): string {
    const given = Object.entries({ q, media }).filter(([, value]) => value !== undefined && value !== null);
    const matching = renderAll(this.#fragments, given, performance.now() + QUERY_RENDER_MS_MAX);
    if (matching.length === 1) return JSON.stringify(matching[0].rendered);
    const query = given.map(([name, value]) => `\`${name}\` ${foundIn(value)}`).join(" and ") || "nothing";
    const names = nameList(matching.slice(0, 2).map(({ name }) => name));
    const found = matching.length === 0 ? "no search fragment" : `several search fragments, such as ${names}`;
    throw userFault(
      this.#embedder,
      `the query must match exactly one search fragment, but ${query} matches ${found}`,
    );
  }
}

/** For all texts of all fragments: rendering blocks everything else. */
const QUERY_RENDER_MS_MAX = 200;

/** `until`: by performance.now(). Throws a TemplateFailure if a variable is missing. */
type FragmentTemplate = (variables: object, until?: number) => unknown;

interface NamedFragment {
  name: string;
  render: FragmentTemplate;
}

function documentVariables(
  shown: readonly [string, unknown][],
  isSearchable: PromptDocument["isSearchable"],
): object {
  const doc = visibleObject(shown);
  const values = Object.values(doc);
  const list = shown.map(([name], index) => ({
    name,
    value: values[index],
    is_searchable: isSearchable(name),
  }));
  return visibleObject([
    ["doc", doc],
    ["fields", list],
  ]);
}

/** The fragments that can be rendered with these variables. */
function renderAll(
  fragments: readonly NamedFragment[],
  entries: [string, unknown][],
  until?: number,
): { name: string; rendered: unknown }[] {
  const variables = attempt(() => visibleObject(entries));
  if (variables === undefined) return [];
  return fragments.flatMap(
    ({ name, render }) => attempt(() => [{ name, rendered: render(variables, until) }]) ?? [],
  );
}

/** Undefined for a template that cannot be rendered. */
function attempt<T>(render: () => T): T | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof TemplateFailure) return undefined;
    throw error;
  }
}

function parseDocumentTemplate(embedder: string, source: string): LiquidTemplate {
  try {
    return new LiquidTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    throw wrongTemplate(embedder, error.message);
  }
}

function wrongTemplate(embedder: string, fault: string): TarsierError {
  const place = `Field \`.embedders.${embedder}.documentTemplate\``;
  return new TarsierError("invalid_settings_embedders", {
    message: `${place}: expected a Liquid template, but found a mistake in it: ${fault}`,
  });
}

/** By name, which is the order of the vectors. */
function parseFragments(
  embedder: string,
  field: "indexingFragments" | "searchFragments",
  fragments: Fragments,
): NamedFragment[] {
  const names = Object.keys(fragments).sort(compareBytes);
  return names.flatMap((name) => {
    const fragment = fragments[name];
    if (fragment === null) return [];
    try {
      return [{ name, render: parseValue(fragment.value) }];
    } catch (error) {
      if (!(error instanceof TemplateFailure)) throw error;
      const place = `field \`.embedders.${embedder}.${field}.${name}\``;
      throw userFault(embedder, `${place} holds a template with a mistake: ${error.message}`);
    }
  });
}

/** Every text inside a fragment is a template; everything else stays as it is. */
function parseValue(value: unknown): FragmentTemplate {
  if (typeof value === "string") {
    const template = new LiquidTemplate(value);
    return (variables, until) => template.render(variables, until && Math.max(1, until - performance.now()));
  }
  if (typeof value !== "object" || value === null) return () => value;
  if (Array.isArray(value)) {
    const items = value.map(parseValue);
    return (...given) => items.map((item) => item(...given));
  }
  const entries = Object.entries(value).map(([key, inner]) => [key, parseValue(inner)] as const);
  return (...given) => Object.fromEntries(entries.map(([key, inner]) => [key, inner(...given)]));
}
