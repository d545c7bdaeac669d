// What the suites use of node:assert/strict, for pages.
import { isDeepStrictEqual } from "../../../src/browser/platform/util.ts";

class AssertionError extends Error {}

type Expected = RegExp | ((error: never) => boolean) | Record<string, unknown> | (new (...a: never) => Error);

function fail(message: string): never {
  throw new AssertionError(message);
}

export function ok(value: unknown, message = "expected something true"): void {
  if (!value) fail(`${message}: found ${show(value)}`);
}

export function equal(actual: unknown, expected: unknown, message = "not equal"): void {
  if (!Object.is(actual, expected)) fail(`${message}: expected ${show(expected)}, found ${show(actual)}`);
}

export function notEqual(actual: unknown, expected: unknown, message = "equal"): void {
  if (Object.is(actual, expected)) fail(`${message}: found ${show(actual)}`);
}

export function deepEqual(actual: unknown, expected: unknown, message = "not equal"): void {
  if (!isDeepStrictEqual(actual, expected))
    fail(`${message}: expected ${show(expected)}, found ${show(actual)}`);
}

export function match(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) fail(`expected ${pattern}, found ${show(text)}`);
}

export function throws(run: () => unknown, expected?: Expected, message = String(run)): void {
  try {
    run();
  } catch (error) {
    check(error, expected, message);
    return;
  }
  fail(`nothing was thrown: ${message}`);
}

export async function rejects(
  promise: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected,
  message = "a promise",
): Promise<void> {
  try {
    await (typeof promise === "function" ? promise() : promise);
  } catch (error) {
    return check(error, expected, message);
  }
  fail(`it was not rejected: ${message}`);
}

function check(error: unknown, expected: Expected | undefined, message: string): void {
  if (!isExpected(error as Error, expected)) fail(`${message}: another error was thrown: ${show(error)}`);
}

function isExpected(error: Error, expected: Expected | undefined): boolean {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected !== "function") {
    return Object.entries(expected).every(([name, value]) => {
      const found = (error as unknown as Record<string, unknown>)[name];
      return value instanceof RegExp ? value.test(String(found)) : isDeepStrictEqual(found, value);
    });
  }
  if (expected === Error || expected.prototype instanceof Error)
    return error instanceof (expected as new () => Error);
  return (expected as (error: Error) => boolean)(error);
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`;
  return JSON.stringify(value) ?? String(value);
}

const assert = Object.assign(ok, {
  ok,
  equal,
  notEqual,
  deepEqual,
  match,
  throws,
  rejects,
  fail,
  strictEqual: equal,
  deepStrictEqual: deepEqual,
});

export { assert as default, fail };
