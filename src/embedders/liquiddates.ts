// Filters for dates. The template engine reads them, and writes them, in the time zone and the language of
// the machine, so that one document would have other texts elsewhere. Used by liquid.ts.
import { filters, toValue } from "liquidjs";
import type { Filter } from "./liquidfilters.ts";
import { written } from "./written.ts";

/** By their names. */
export const LIQUID_DATE_FILTERS: Readonly<Record<string, Filter>> = {
  date(value, format, offset) {
    const moment = momentOf(toValue(value));
    const wanted = format === undefined ? undefined : withoutShorts(written(toValue(format)));
    if (moment === null || wanted === "") return value;
    return (filters.date as Filter).call(this, moment.date, wanted, offset ?? moment.offset);
  },
  ...Object.fromEntries(
    ["date_to_xmlschema", "date_to_rfc822", "date_to_string", "date_to_long_string"].map((name) => [
      name,
      withMoment(filters[name] as Filter),
    ]),
  ),
};

/** Directives that the engine lacks, or writes in the language of the machine, as others that it has. */
const SHORTS: Readonly<Record<string, string>> = {
  "%c": "%a %b %e %H:%M:%S %Y",
  "%D": "%m/%d/%y",
  "%F": "%Y-%m-%d",
  "%r": "%I:%M:%S %p",
  "%R": "%H:%M",
  "%T": "%H:%M:%S",
  "%v": "%e-%^b-%Y",
  "%x": "%m/%d/%y",
  "%X": "%H:%M:%S",
  "%Z": "%:z",
};

function withoutShorts(format: string): string {
  return format.replace(/%./g, (directive) => SHORTS[directive] ?? directive);
}

/** A moment, and the minutes to add to its time to come to UTC. */
interface Moment {
  date: Date;
  offset: number;
}

function withMoment(filter: Filter): Filter {
  return function (value, ...options) {
    return filter.call(this, momentOf(toValue(value))?.date ?? value, ...options);
  };
}

/** Numbers are seconds since 1970. Null for what is no date. */
function momentOf(value: unknown): Moment | null {
  if (typeof value === "number") return momentAt(value * 1000);
  if (typeof value !== "string") return null;
  if (/^(?:now|today)$/i.test(value.trim())) return momentAt(Date.now());
  if (/^\d+$/.test(value)) return momentAt(Number(value) * 1000);
  // Without a year JavaScript sees dates in many a text.
  if (value.length > DATE_CHARS_MAX || !/\d{4}/.test(value)) return null;
  const [, zone, sign, hours, minutes] = ZONE.exec(value) ?? [];
  // What has no zone is a time of UTC. A date in the form of ISO 8601 is so already.
  const isWhole = zone !== undefined || /^\d{4}-\d\d-\d\d$/.test(value);
  const time = Date.parse(isWhole ? value : `${value}${value[10] === "T" ? "Z" : " +0000"}`);
  const offset = hours === undefined ? 0 : Number(hours) * 60 + Number(minutes);
  return momentAt(time, sign === "+" ? -offset : offset);
}

/** Bounds ZONE, whose cost grows with the square of the text. */
const DATE_CHARS_MAX = 100;

function momentAt(time: number, offset = 0): Moment | null {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : { date, offset };
}

/** After a time of day: `2016-12` alone is a year and a month. */
const ZONE = /:\d\d.*?(Z|([+-])(\d\d):?(\d\d)|GMT|UTC)$/i;
