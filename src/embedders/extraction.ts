// Takes the vectors from the answers of REST embedders, by the response template. Called by rest.ts.
import { foundIn, nearestName } from "../schemas/phrases.ts";
import { type JsonTemplate, type Path, writtenPath } from "./jsontemplate.ts";

/** An answer in which the vectors are not where the template says. */
export class AnswerMistake extends Error {}

/** The vectors of `count` inputs. Throws an AnswerMistake. */
export function extractVectors(template: JsonTemplate, answer: unknown, count: number): Float32Array[] {
  const { place, repeated } = template;
  if (repeated === null) {
    return [vectorAt(answer, place, [], "the vector")];
  }
  const list = valueAt(answer, repeated.path, [], "the array of vectors");
  if (!Array.isArray(list)) {
    throw mistake("the array of vectors", repeated.path, `expected an array, but found ${foundIn(list)}`);
  }
  if (list.length !== count) {
    const found = `expected ${count} vectors, one for each input, but found ${list.length}`;
    throw mistake("the array of vectors", repeated.path, found);
  }
  return list.map((unit, index) => vectorAt(unit, place, [...repeated.path, index], `vector #${index}`));
}

/** `above`: the path of `value` in the answer. */
function vectorAt(value: unknown, path: Path, above: Path, what: string): Float32Array {
  const found = valueAt(value, path, above, what);
  const whole = [...above, ...path];
  if (!Array.isArray(found)) {
    throw mistake(what, whole, `expected an array of numbers, but found ${foundIn(found)}`);
  }
  const vector = new Float32Array(found.length);
  for (const [index, number] of found.entries()) {
    if (typeof number !== "number") {
      throw mistake(what, [...whole, index], `expected a number, but found ${foundIn(number)}`);
    }
    vector[index] = number;
    if (!Number.isFinite(vector[index])) {
      throw mistake(what, [...whole, index], `expected a 32-bit number, but found ${number}`);
    }
  }
  if (vector.length === 0) throw mistake(what, whole, "expected numbers, but found an empty array");
  return vector;
}

function valueAt(value: unknown, path: Path, above: Path, what: string): unknown {
  let current = value;
  for (const [depth, step] of path.entries()) {
    current = stepInto(current, step, what, [...above, ...path.slice(0, depth)]);
  }
  return current;
}

function stepInto(value: unknown, step: string | number, what: string, path: Path): unknown {
  if (typeof step === "number") {
    if (!Array.isArray(value)) throw mistake(what, path, `expected an array, but found ${contents(value)}`);
    if (step >= value.length) {
      throw mistake(what, path, `expected an element #${step}, but found ${contents(value)}`);
    }
    return value[step];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw mistake(what, path, `expected an object with a field \`${step}\`, but found ${contents(value)}`);
  }
  if (Object.hasOwn(value, step)) return (value as Record<string, unknown>)[step];
  const near = nearestName(step, Object.keys(value));
  const hint = near === undefined ? "" : ` (it has \`${near}\`: is that it?)`;
  throw mistake(what, path, `expected a field \`${step}\`, but found ${contents(value)} without it${hint}`);
}

function contents(value: unknown): string {
  if (Array.isArray(value)) return `an array of size ${value.length}`;
  if (typeof value === "object" && value !== null)
    return `an object with ${Object.keys(value).length} fields`;
  return foundIn(value);
}

function mistake(what: string, path: Path, problem: string): AnswerMistake {
  return new AnswerMistake(
    `the answer does not fit the \`response\` of the settings: extracting ${what}, ` +
      `at \`${writtenPath("response", path)}\`: ${problem}`,
  );
}
