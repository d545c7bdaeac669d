// The `request` and `response` templates of a REST embedder: JSON in which one string stands for the input
// (`{{text}}` or `{{fragment}}`) or the vector (`{{embedding}}`). Where an array holds `{{..}}` as its second
// element, its first one is a unit that is repeated, once for each input:
//
//   {"model": "m", "input": ["{{text}}", "{{..}}"]}         path input, unit "{{text}}", place: the unit
//   {"data": [{"v": "{{embedding}}"}, "{{..}}"], "n": 1}    path data, unit {"v": ...}, place: v in it
//
// Used by the checks of settings, by rest.ts to build requests, and by extraction.ts to read answers.

export type Path = readonly (string | number)[];

export interface JsonTemplate {
  /** `request` or `response`, for messages. */
  name: string;
  value: unknown;
  /** Where the input or vector is: in `value`, or in `unit` when there is one. */
  place: Path;
  repeated: { path: Path; unit: unknown } | null;
}

/** A mistake in a template. */
export class JsonTemplateMistake extends Error {}

const REPETITION = "{{..}}";

/** Throws a JsonTemplateMistake. */
export function parseJsonTemplate(name: string, value: unknown, placeholder: string): JsonTemplate {
  const search = new Search(name, placeholder);
  search.visit(value, []);
  const { place, repeated } = search;
  if (repeated !== null) return { name, value, place: repeated.place, repeated };
  if (place === null) throw new JsonTemplateMistake(`\`${placeholder}\` was not found in \`${name}\``);
  return { name, value, place, repeated: null };
}

/** `value` with the inputs filled in. A template without repetition takes exactly one. */
export function fillTemplate({ value, place, repeated }: JsonTemplate, inputs: readonly unknown[]): unknown {
  if (repeated === null) return replaced(value, place, inputs[0]);
  const units = inputs.map((input) => replaced(repeated.unit, place, input));
  return replaced(value, repeated.path, units);
}

/** A path as messages show it: `request.input[0]`. */
export function writtenPath(name: string, path: Path): string {
  return path.reduce<string>(
    (text, step) => text + (typeof step === "number" ? `[${step}]` : `.${step}`),
    name,
  );
}

class Search {
  readonly #name: string;
  readonly #placeholder: string;
  /** The unit that is being visited; null outside of one. */
  #unit: { path: Path; place: Path | null } | null = null;
  place: Path | null = null;
  repeated: { path: Path; unit: unknown; place: Path } | null = null;

  constructor(name: string, placeholder: string) {
    this.#name = name;
    this.#placeholder = placeholder;
  }

  visit(value: unknown, path: Path): void {
    if (value === this.#placeholder) this.#foundPlaceholder(path);
    else if (value === REPETITION)
      this.#fail(`\`${REPETITION}\` at ${this.#at(path)} is outside of an array`);
    else if (Array.isArray(value)) this.#visitArray(value, path);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) this.visit(inner, [...path, key]);
    }
  }

  #visitArray(array: unknown[], path: Path): void {
    const wrong = array.findIndex((item, index) => item === REPETITION && index !== 1);
    if (wrong >= 0) {
      this.#fail(`\`${REPETITION}\` in ${this.#at(path)}: expected at position #1, but found at #${wrong}`);
    }
    if (array[1] !== REPETITION) {
      for (const [index, item] of array.entries()) this.visit(item, [...path, index]);
      return;
    }
    if (this.#unit !== null) {
      this.#fail(
        `\`${REPETITION}\` in ${this.#at(path)} is inside of ${this.#at(this.#unit.path)}, which is repeated`,
      );
    }
    if (this.repeated !== null) {
      const first = this.#at(this.repeated.path);
      this.#fail(`\`${REPETITION}\` in ${this.#at(path)}, but it is already present in ${first}`);
    }
    this.#visitUnit(array[0], path);
  }

  #visitUnit(unit: unknown, path: Path): void {
    this.#unit = { path, place: null };
    this.visit(unit, [...path, 0]);
    const { place } = this.#unit;
    this.#unit = null;
    if (place === null) {
      this.#fail(
        `\`${this.#placeholder}\` is expected inside of ${this.#at([...path, 0])}, which is repeated`,
      );
    }
    this.repeated = { path, unit, place: place.slice(path.length + 1) };
  }

  #foundPlaceholder(path: Path): void {
    const unit = this.#unit;
    const present = unit?.place ?? this.place;
    const found = `\`${this.#placeholder}\` at ${this.#at(path)}, but it is already present`;
    if (present !== null) this.#fail(`${found} at ${this.#at(present)}`);
    if (this.repeated !== null) this.#fail(`${found} (repeated) in ${this.#at(this.repeated.path)}`);
    if (unit !== null) unit.place = path;
    else this.place = path;
  }

  #at(path: Path): string {
    return `\`${writtenPath(this.#name, path)}\``;
  }

  #fail(message: string): never {
    throw new JsonTemplateMistake(message);
  }
}

/** A copy of the value with the place at the path replaced. */
function replaced(value: unknown, path: Path, by: unknown): unknown {
  if (path.length === 0) return by;
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? replaced(item, rest, by) : item));
  }
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === step ? replaced(item, rest, by) : item]),
  );
}
