// Where log lines go: to the error output and to one listener over HTTP, each with its own target. The logger
// makes only records that one of the two wants. Opened by src/node.ts; logs.ts changes the targets.
import { Readable } from "node:stream";
import pino, { type DestinationStream, type Logger } from "pino";
import { isWanted, LEVELS, type Level, type LogTarget, leastLevel } from "./logtarget.ts";

type LogForm = "human" | "json";

interface Listener {
  stream: Readable;
  target: LogTarget;
  form: LogForm;
}

/** A listener that lags behind by this much loses lines. */
const LISTENER_BYTES_MAX = 2 ** 20;
/**
 * Lines that can wait a moment are made and written together: each write blocks the server while it lasts,
 * and making many lines in a row is faster.
 */
const LATE_MS_MAX = 100;
const LATE_LINES_MAX = 128;

type Fields = Record<string, string | number>;

interface LateLine {
  level: number;
  time: number;
  part: string;
  msg: string;
  fields: Fields;
}

export class LogOutput {
  readonly logger: Logger;
  readonly #errors: DestinationStream;
  readonly #form: LogForm;
  #target: LogTarget;
  #listener: Listener | null = null;
  /** Lines that wait to be written. */
  #late: LateLine[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** `errors`: receives the lines of the error output. */
  constructor(level: Level, form: LogForm, errors: DestinationStream = pino.destination(2)) {
    this.#errors = errors;
    this.#form = form;
    this.#target = { otherwise: LEVELS[level], parts: new Map() };
    this.logger = pino({ base: { pid: process.pid } }, { write: (line) => this.#write(line) });
    this.#adjust();
  }

  /** Chooses the lines of the error output. */
  set target(target: LogTarget) {
    this.#target = target;
    this.#adjust();
  }

  get hasListener(): boolean {
    return this.#listener !== null;
  }

  /**
   * Lines from now on, until the stream is destroyed or `endListener` is called. Only one listener at a time.
   */
  listen(target: LogTarget, form: LogForm): Readable {
    const stream = new Readable({ read: () => {} });
    const listener = { stream, target, form };
    stream.on("close", () => {
      if (this.#listener === listener) this.endListener();
    });
    this.#listener = listener;
    this.#adjust();
    return stream;
  }

  endListener(): void {
    this.#listener?.stream.push(null);
    this.#listener = null;
    this.#adjust();
  }

  /** Whether the error output or the listener wants such a line. */
  wants(level: number, part: string): boolean {
    if (isWanted(this.#target, level, part)) return true;
    return this.#listener !== null && isWanted(this.#listener.target, level, part);
  }

  /** Writes a line for which `wants` is true, without the cost of the logger and perhaps a moment later. */
  writeQuick(level: number, part: string, msg: string, fields: Fields): void {
    const late = { level, time: Date.now(), part, msg, fields };
    if (isWanted(this.#target, level, part)) this.#writeLate(late);
    if (this.#listener && isWanted(this.#listener.target, level, part))
      this.#push(quickLine(late, this.#listener.form));
  }

  /** Writes the lines that wait. */
  flush(): void {
    if (this.#late.length === 0) return;
    const late = this.#late;
    this.#late = [];
    this.#errors.write(late.map((line) => quickLine(line, this.#form)).join(""));
  }

  #writeLate(late: LateLine): void {
    this.#late.push(late);
    if (this.#late.length >= LATE_LINES_MAX) this.flush();
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.flush();
    }, LATE_MS_MAX).unref();
  }

  #push(line: string): void {
    const { stream } = this.#listener!;
    if (stream.readableLength < LISTENER_BYTES_MAX) stream.push(line);
  }

  #adjust(): void {
    const least = Math.min(
      leastLevel(this.#target),
      this.#listener ? leastLevel(this.#listener.target) : LEVELS.off,
    );
    const [name] = Object.entries(LEVELS).find(([, level]) => level === least)!;
    this.logger.level = name === "off" ? "silent" : name;
  }

  #write(line: string): void {
    const record: LogRecord = JSON.parse(line);
    const { level, part } = record;
    if (isWanted(this.#target, level, part)) {
      this.flush();
      this.#errors.write(lineOf(record, line, this.#form));
    }
    if (this.#listener && isWanted(this.#listener.target, level, part))
      this.#push(lineOf(record, line, this.#listener.form));
  }
}

interface LogRecord {
  level: number;
  time: number;
  msg?: string;
  /** The part of the server that logs. */
  part?: string;
}

function quickLine({ level, time, part, msg, fields }: LateLine, form: LogForm): string {
  return form === "json"
    ? `${JSON.stringify({ level, time, pid: process.pid, part, ...fields, msg })}\n`
    : humanLine(time, level, part, msg, fields);
}

function lineOf({ level, time, msg = "", part, ...rest }: LogRecord, line: string, form: LogForm): string {
  if (form === "json") return line;
  const { pid: _, ...fields } = rest as Record<string, unknown>;
  return humanLine(time, level, part, msg, fields);
}

/** `2026-11-21T20:55:00.000Z WARN engine: merge failed folder="a" error="..."` */
function humanLine(
  time: number,
  level: number,
  part: string | undefined,
  msg: string,
  fields: Record<string, unknown>,
): string {
  const speaker = part === undefined ? "" : `${part}: `;
  let line = `${new Date(time).toISOString()} ${levelName(level)} ${speaker}${msg}`;
  for (const field of Object.keys(fields)) line += ` ${field}=${JSON.stringify(fields[field])}`;
  return `${line}\n`;
}

/** Highest level first. */
const NAMES = Object.entries(LEVELS).map(([name, level]) => ({ name: name.toUpperCase(), level }));

/** Name of the highest level that is not above. */
function levelName(level: number): string {
  for (const named of NAMES) if (named.level <= level) return named.name;
  return "ERROR";
}
