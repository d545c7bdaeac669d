// The runner of the fuzzers. It makes the inputs of a target from a seed and holds what is true for all of
// them: an input is accepted or refused by an error of the table, within its time, and leaves no memory
// behind. Called by fuzz.test.ts (a few inputs of each target) and fuzzworker.ts (many).
import { TarsierError } from "../../src/errors.ts";
import { Random } from "../crash/random.ts";
import { collectGarbage } from "../garbage.ts";

export type Input = string | Uint8Array;

/** What takes one kind of bytes from outside. */
export interface Target {
  name: string;
  /** Inputs that `npm test` tries. */
  slice: number;
  /** What an input may take where that is more than usual. */
  msPerKbMax?: number;
  open(): Subject | Promise<Subject>;
}

export interface Subject {
  make(random: Random): Input | Promise<Input>;
  /** True when the input was accepted, false when it was refused. @throws for all that must not happen */
  take(input: Input): boolean | Promise<boolean>;
  close?(): void | Promise<void>;
}

export interface FuzzOptions {
  seed: number;
  /** The input to begin with, counted from 0. */
  first?: number;
  inputs: number;
  milliseconds: number;
  /** False: neither time nor memory is looked at. */
  isMeasured: boolean;
  /** Told before each input. */
  onInput?(number: number): void;
}

export interface FuzzReport {
  inputs: number;
  accepted: number;
  /** Processor time of the slowest input for each KB of it, and its number. */
  slowestMs: number;
  slowest: number;
  /** Memory held at the end and not at a quarter of the time. */
  grownBytes: number;
}

/** For each KB of an input that was begun. */
const MS_PER_KB_MAX = 100;
/** Measured again so many times before it is a finding: compilers and collectors take their time as well. */
const REPETITIONS = 3;
const GROWTH_BYTES_MAX = 48 * 2 ** 20;
/** Memory is compared only after so many inputs: caches fill up first. */
const GROWTH_INPUTS_MIN = 2000;

/** @throws Error, with the number of the input and its beginning, for the first finding */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = { inputs: 0, accepted: 0, slowestMs: 0, slowest: -1, grownBytes: 0 };
  const { seed, first = 0, inputs, milliseconds, isMeasured } = options;
  const subject = await target.open();
  const began = Date.now();
  let held = 0;
  try {
    for (let number = first; number < first + inputs && Date.now() - began < milliseconds; number++) {
      options.onInput?.(number);
      const input = await subject.make(randomOf(target.name, seed, number));
      const place = () => `${target.name}, seed ${seed}, input ${number}: ${shown(input)}`;
      if (await taken(subject, input, place)) report.accepted++;
      report.inputs++;
      if (!isMeasured) continue;
      const measured = await measure(subject, input, report.slowestMs, place, target.msPerKbMax);
      if (measured > report.slowestMs) Object.assign(report, { slowestMs: measured, slowest: number });
      const isQuarter = report.inputs >= GROWTH_INPUTS_MIN && Date.now() - began > milliseconds / 4;
      if (held === 0 && isQuarter) held = heldBytes();
    }
    if (held > 0) report.grownBytes = heldBytes() - held;
    if (report.grownBytes > GROWTH_BYTES_MAX)
      throw new Error(`${target.name}, seed ${seed}: memory grew by ${report.grownBytes} bytes`);
  } finally {
    await subject.close?.();
  }
  return report;
}

/** True when nothing was thrown, false for a refusal. @throws what is no error of the table */
export async function isAccepted(act: () => unknown): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof TarsierError && error.code !== "internal") return false;
    throw error;
  }
}

let lastMs = 0;

async function taken(subject: Subject, input: Input, place: () => string): Promise<boolean> {
  const before = process.cpuUsage();
  try {
    const isTaken = await subject.take(input);
    const { user, system } = process.cpuUsage(before);
    lastMs = (user + system) / 1000;
    return isTaken;
  } catch (cause) {
    throw new Error(place(), { cause });
  }
}

/** Judges the processor time of the input that was just taken, and returns it for each KB. */
async function measure(
  subject: Subject,
  input: Input,
  slowestMs: number,
  place: () => string,
  mostMs = MS_PER_KB_MAX,
): Promise<number> {
  const kilobytes = Math.max(1, Buffer.byteLength(input) / 1024);
  let ms = lastMs / kilobytes;
  for (let i = 0; i < REPETITIONS && ms > Math.max(slowestMs, mostMs); i++) {
    await taken(subject, input, place);
    ms = Math.min(ms, lastMs / kilobytes);
  }
  if (ms > mostMs) throw new Error(`${Math.round(ms)} ms for each KB: ${place()}`);
  return ms;
}

/** Each input has numbers of its own, so that it can be made again alone. */
function randomOf(name: string, seed: number, number: number): Random {
  let hash = seed >>> 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return new Random(Math.imul(hash ^ number, 0x9e3779b1));
}

const SHOWN_CHARACTERS_MAX = 4000;

function shown(input: Input): string {
  const text = typeof input === "string" ? JSON.stringify(input) : Buffer.from(input).toString("base64");
  const rest = text.length > SHOWN_CHARACTERS_MAX ? `... (${text.length} characters)` : "";
  return text.slice(0, SHOWN_CHARACTERS_MAX) + rest;
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
