// Moments and durations of tasks: whole microseconds (since 1970), and their texts.

/** Microseconds since 1970; exact in a double until the year 2255. */
export type Moment = number;

/**
 * The clock of one instance: microseconds that never run backwards, even if the machine's clock is set back.
 */
export class Clock {
  #last: Moment;
  #offset = 0;

  /** `last`: the newest moment that was given out before, from the journal. */
  constructor(last: Moment = 0) {
    this.#last = last;
  }

  now(): Moment {
    const monotonic = performance.now() * MICROSECONDS_PER_MILLISECOND;
    const wall = Date.now() * MICROSECONDS_PER_MILLISECOND;
    // The monotonic clock has finer steps; the wall clock is followed when the two drift apart.
    if (Math.abs(monotonic + this.#offset - wall) > CLOCK_DRIFT_MICROSECONDS_MAX)
      this.#offset = wall - monotonic;
    const now = Math.max(this.#last, Math.floor(monotonic + this.#offset));
    // A whole second would be written without a fraction, and the Python client fails to read such texts.
    this.#last = now % MICROSECONDS_PER_SECOND === 0 ? now + 1 : now;
    return this.#last;
  }
}

/** RFC 3339 in UTC; the fraction has as many digits as it needs. */
export function momentText(moment: Moment): string {
  const milliseconds = Math.floor(moment / MICROSECONDS_PER_MILLISECOND);
  const seconds = new Date(milliseconds).toISOString().slice(0, 19);
  const fraction = String(moment % MICROSECONDS_PER_SECOND)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return fraction === "" ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** A moment from a text such as `2024-01-31T08:00:00.123456Z`, or from a bare day; null for anything else. */
export function parseMoment(text: string): Moment | null {
  const [whole, day, time = "00:00:00", fraction = "", zone = "Z"] = DATE.exec(text) ?? [];
  if (whole === undefined) return null;
  const milliseconds = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  const isRealDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ?? false;
  if (Number.isNaN(milliseconds) || !isRealDay) return null;
  return milliseconds * MICROSECONDS_PER_MILLISECOND + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** ISO 8601: days, then seconds with a fraction of 0, 3 or 6 digits; null when it would be negative. */
export function durationText(microseconds: number): string | null {
  if (microseconds < 0) return null;
  const days = Math.floor(microseconds / MICROSECONDS_PER_DAY);
  const rest = microseconds % MICROSECONDS_PER_DAY;
  const seconds = Math.floor(rest / MICROSECONDS_PER_SECOND);
  let fraction = String(rest % MICROSECONDS_PER_SECOND).padStart(6, "0");
  if (fraction.endsWith("000")) fraction = fraction.slice(0, 3);
  const point = rest % MICROSECONDS_PER_SECOND === 0 ? "" : `.${fraction}`;
  return `P${days > 0 ? `${days}D` : ""}T${seconds}${point}S`;
}

/** Two decimals, in the largest unit in which the number is at least 1: "12.34ms". */
export function shortDurationText(microseconds: number): string {
  if (microseconds >= MICROSECONDS_PER_SECOND)
    return `${(microseconds / MICROSECONDS_PER_SECOND).toFixed(2)}s`;
  if (microseconds >= MICROSECONDS_PER_MILLISECOND) {
    return `${(microseconds / MICROSECONDS_PER_MILLISECOND).toFixed(2)}ms`;
  }
  return `${microseconds.toFixed(2)}µs`;
}

/** Milliseconds in such a text. */
export function shortDurationMs(text: string): number {
  const [, number, unit] = /^([\d.]+)(s|ms|µs)$/.exec(text)!;
  return Number(number) * { s: 1000, ms: 1, µs: 0.001 }[unit as "s" | "ms" | "µs"];
}

const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2}))?$/;
const MICROSECONDS_PER_MILLISECOND = 1000;
const MICROSECONDS_PER_SECOND = 1e6;
const MICROSECONDS_PER_DAY = 86_400e6;
const CLOCK_DRIFT_MICROSECONDS_MAX = 20_000;
