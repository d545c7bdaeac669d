// Liquid templates over documents and queries: no files, no other templates, bounded time, memory and output.
// The engine is liquidjs, made strict by scope.ts. Loaded by the files that parse templates: prompts.ts, and
// unbuiltsettings.ts of the engine.
import {
  type Emitter,
  type FilterImplOptions,
  Liquid,
  LiquidError,
  type Template,
  toValue,
  toValueSync,
} from "liquidjs";
import { OppositeTag, QuestionTag } from "./conditions.ts";
import { LIQUID_DATE_FILTERS } from "./liquiddates.ts";
import { LIQUID_FILTERS } from "./liquidfilters.ts";
import { LIQUID_OPERATORS } from "./liquidoperators.ts";
import { ChangedTag, FirstCaseTag, StrictAssignTag } from "./liquidtags.ts";
import { LargeInteger, Missing, MissingVariable, StrictContext } from "./scope.ts";
import { TemplateFailure, written } from "./written.ts";

/** What is wrong with a template; null: nothing. */
export function parsingFault(source: string): string | null {
  try {
    new LiquidTemplate(source);
    return null;
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return error.message;
  }
}

/** A parsed template. */
export class LiquidTemplate {
  readonly #parts: Template[];

  /** Throws a TemplateFailure. */
  constructor(source: string) {
    this.#parts = attempt(() => liquid.parse(withRawTrimmed(source)));
  }

  /** `variables`: made by visibleObject(). Throws a TemplateFailure. */
  render(variables: object, renderLimit = RENDER_MS_MAX): string {
    return attempt(() => {
      const context = new StrictContext(variables, liquid.options, { sync: true, renderLimit }, { liquid });
      const output = new BoundedOutput();
      toValueSync(liquid.renderer.renderTemplates(this.#parts, context, output) as Generator);
      return output.buffer;
    });
  }

  /**
   * What is wrong with the names of the template, whatever the document: it uses a variable that is neither
   * one of these nor its own. Null: nothing was found.
   */
  faultWith(variables: object): string | null {
    try {
      this.render(variables);
    } catch (error) {
      const missing = missingVariable(error);
      // Its own may be set for documents other than the one that is rendered.
      if (missing !== null && liquid.globalVariablesSync(this.#parts).includes(missing))
        return (error as TemplateFailure).message;
    }
    return null;
  }
}

const TEMPLATE_CHARS_MAX = 2 ** 17;
const OUTPUT_CHARS_MAX = 2 ** 25;
/** Elements and characters that one rendering may produce, intermediate ones included. */
const MEMORY_COUNT_MAX = 2 ** 25;
/** Far more than any template needs: it stops those that would never end. */
const RENDER_MS_MAX = 5_000;

/** Tags that read other templates. */
const FILE_TAGS = ["include", "render", "layout", "block"];

const liquid = makeLiquid();

function makeLiquid(): Liquid {
  const made = new Liquid({
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    parseLimit: TEMPLATE_CHARS_MAX,
    memoryLimit: MEMORY_COUNT_MAX,
    renderLimit: RENDER_MS_MAX,
    // Called last before a value is written; a plain value would lose digits.
    outputEscape: (value: unknown) => (value instanceof LargeInteger ? written(value) : value) as string,
    operators: LIQUID_OPERATORS,
    // The texts of a document shall be the same on every machine.
    locale: "en-US",
    timezoneOffset: 0,
  });
  for (const name of FILE_TAGS) delete made.tags[name];
  made.registerTag("if", QuestionTag);
  made.registerTag("unless", OppositeTag);
  made.registerTag("case", FirstCaseTag);
  made.registerTag("assign", StrictAssignTag);
  made.registerTag("ifchanged", ChangedTag);
  const filters = { ...made.filters, ...LIQUID_FILTERS, ...LIQUID_DATE_FILTERS };
  for (const [name, filter] of Object.entries(filters)) made.registerFilter(name, strict(filter));
  return made;
}

/** The hyphens at the inner sides of `raw` and `endraw` carried out, which the engine does not know. */
function withRawTrimmed(source: string): string {
  const parts = source.replace(/(\{%-?\s*raw\s*-%\})\s+/g, "$1").split(/\{%-(?=\s*endraw\b)/);
  const last = parts.pop() as string;
  return [...parts.map((part) => part.trimEnd()), last].join("{%");
}

/**
 * Strict with missing variables: a filter of the engine uses its arguments without asking for their value.
 */
function strict(filter: FilterImplOptions): FilterImplOptions {
  if (typeof filter !== "function")
    return { ...filter, handler: strict(filter.handler) as typeof filter.handler };
  return function (this: ThisParameterType<typeof filter>, ...values) {
    for (const value of values) if (value instanceof Missing) value.valueOf();
    return filter.apply(this, values);
  };
}

/** Stops loops whose output would fill the memory. */
class BoundedOutput implements Emitter {
  buffer = "";

  write(value: unknown): void {
    const text = textOf(value);
    if (this.buffer.length + text.length > OUTPUT_CHARS_MAX)
      throw new Error(`the output has more than ${OUTPUT_CHARS_MAX} characters`);
    this.buffer += text;
  }
}

function textOf(value: unknown): string {
  if (value instanceof LargeInteger) return written(value);
  const plain: unknown = toValue(value);
  if (plain === undefined) return "";
  return Array.isArray(plain) ? plain.map(textOf).join("") : written(plain);
}

/** The variable that was used though it is missing; null when something else was thrown in the engine. */
function missingVariable(error: unknown): string | null {
  let origin = error as { cause?: unknown; originalError?: unknown };
  while (origin.originalError ?? origin.cause)
    origin = (origin.originalError ?? origin.cause) as typeof origin;
  return origin instanceof MissingVariable ? origin.variable : null;
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateFailure) throw error;
    throw new TemplateFailure(LiquidError.is(error) ? error.message : String(error), { cause: error });
  }
}
