// Liquid templates over documents and queries: no files, no other templates, bounded time, memory and output.
// The engine is liquidjs, made strict by scope.ts. Loaded by the files that parse templates: prompts.ts, and
// unbuiltsettings.ts of the engine.
import {
  type Context,
  defaultOperators,
  type Emitter,
  type FilterImplOptions,
  Liquid,
  LiquidError,
  type Template,
  toValue,
  toValueSync,
} from "liquidjs";
import { isThere, OppositeTag, QuestionTag } from "./conditions.ts";
import { isObject, LIQUID_FILTERS } from "./liquidfilters.ts";
import { ChangedTag, StrictAssignTag } from "./liquidtags.ts";
import { LargeInteger, Missing, StrictContext } from "./scope.ts";
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
    this.#parts = attempt(() => liquid.parse(source));
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
    operators: {
      ...defaultOperators,
      "<>": defaultOperators["!="],
      contains,
      not: (value: unknown, context: Context) => !isThere(value, context),
      and: (left, right, context) => isThere(left, context) && isThere(right, context),
      or: (left, right, context) => isThere(left, context) || isThere(right, context),
    },
  });
  for (const name of FILE_TAGS) delete made.tags[name];
  made.registerTag("if", QuestionTag);
  made.registerTag("unless", OppositeTag);
  made.registerTag("assign", StrictAssignTag);
  made.registerTag("ifchanged", ChangedTag);
  for (const [name, filter] of Object.entries({ ...made.filters, ...LIQUID_FILTERS }))
    made.registerFilter(name, strict(filter));
  return made;
}

/** Whether a list has an element, an object a key, or the text of anything else a part. */
function contains(left: unknown, right: unknown, context: Context): ReturnType<typeof containsElement> {
  const [whole, part] = [toValue(left) as unknown, toValue(right) as unknown];
  if (Array.isArray(whole)) return containsElement(whole, right, context);
  if (whole === null) return false;
  return isObject(whole) ? Object.hasOwn(whole, written(part)) : written(whole).includes(written(part));
}

const containsElement = defaultOperators.contains;

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

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateFailure) throw error;
    throw new TemplateFailure(LiquidError.is(error) ? error.message : String(error), { cause: error });
  }
}
