// Where log lines go: to the error output, and to one listener over HTTP, each with a choice of its own. The
// logger makes no more records than one of the two wants. Opened by src/node.ts; logs.ts sets it.
import { Readable } from "node:stream";
import pino, { type DestinationStream, type Logger } from "pino";
import { isWanted, LEVELS, type Level, type LogTarget, leastLevel } from "./logtarget.ts";

export type LogForm = "human" | "json";

interface Listener {
  stream: Readable;
  target: LogTarget;
  form: LogForm;
}

/** A listener that is that far behind loses lines. */
const LISTENER_BYTES_MAX = 2 ** 20;

export class LogOutput {
  readonly logger: Logger;
  readonly #errors: DestinationStream;
  readonly #form: LogForm;
  #target: LogTarget;
  #listener: Listener | null = null;

  /** `errors`: takes the lines of the error output. */
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

  /** Lines from now on, until it is destroyed or `endListener` is called. There is one listener at a time. */
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
    if (isWanted(this.#target, level, part)) this.#errors.write(lineOf(record, line, this.#form));
    if (this.#listener === null || !isWanted(this.#listener.target, level, part)) return;
    const { stream, form } = this.#listener;
    if (stream.readableLength < LISTENER_BYTES_MAX) stream.push(lineOf(record, line, form));
  }
}

interface LogRecord {
  level: number;
  time: number;
  msg?: string;
  /** The part of the server that speaks. */
  part?: string;
}

/** `2026-11-21T20:55:00.000Z WARN engine: merge failed folder="a" error="..."` */
function lineOf({ level, time, msg = "", part, ...rest }: LogRecord, line: string, form: LogForm): string {
  if (form === "json") return line;
  const [name] = Object.entries(LEVELS).find(([, number]) => number <= level && level !== LEVELS.off) ?? [
    "error",
  ];
  const { pid: _, ...fields } = rest as Record<string, unknown>;
  const shown = Object.entries(fields).map(([field, value]) => ` ${field}=${JSON.stringify(value)}`);
  const speaker = part === undefined ? "" : `${part}: `;
  return `${new Date(time).toISOString()} ${name.toUpperCase()} ${speaker}${msg}${shown.join("")}\n`;
}
