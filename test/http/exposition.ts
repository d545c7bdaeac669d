// Reads the text that Prometheus scrapes, as strictly as its format is written down
// (https://prometheus.io/docs/instrumenting/exposition_formats/). Used by metrics.test.ts.
import { deepEqual, equal, ok } from "node:assert/strict";

export interface Family {
  type: string;
  help: string;
  /** Values by name and labels as they stand there: `name{a="b"}`. */
  samples: Map<string, number>;
}

const NAME = /^[a-zA-Z_:][\w:]*$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/;
const LABELS = /^\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\}$/;
const TYPES = ["counter", "gauge", "histogram"];

/** Families by name. Fails for what a scraper would not take. */
export function parseExposition(text: string): Map<string, Family> {
  ok(text.endsWith("\n"), "the last line has an end");
  const families = new Map<string, Family>();
  let current = null as { name: string; family: Family } | null;
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      ok(NAME.test(name) && !families.has(name), `${name} is a name, and told once`);
      current = { name, family: { type: "", help: rest, samples: new Map() } };
      families.set(name, current.family);
    } else if (kind === "TYPE") {
      equal(name, current?.name, "the type follows the help");
      ok(TYPES.includes(rest), line);
      current!.family.type = rest;
    } else addSample(current, line);
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function addSample(current: { name: string; family: Family } | null, line: string): void {
  const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  ok(name !== undefined && current !== null, line);
  ok(labels === "" || LABELS.test(labels), line);
  const { family } = current;
  const suffix = family.type === "histogram" ? /_(?:bucket|sum|count)$/ : /$^/;
  equal(name.replace(suffix, ""), current.name, line);
  ok(!family.samples.has(name + labels), `${line}: told once`);
  ok(/^(?:[-+]?[\d.]+(?:e[-+]?\d+)?|NaN|[-+]Inf)$/i.test(value), line);
  family.samples.set(name + labels, Number(value.replace("Inf", "Infinity")));
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (type === "counter") {
    ok(name.endsWith("_total"), `${name}: counters end so`);
    for (const value of samples.values()) ok(value >= 0, name);
  }
  if (type !== "histogram") return;
  const series = new Map<string, [bound: number, count: number][]>();
  for (const [key, count] of samples) {
    const [, before, bound, after] = /_bucket\{(.*?)le="([^"]+)"(.*)\}$/.exec(key) ?? [];
    if (bound === undefined) continue;
    const labels = [before, after].join(",").split(",").filter(Boolean).sort().join(",");
    const buckets = series.get(labels) ?? [];
    series.set(labels, [...buckets, [Number(bound.replace("Inf", "Infinity")), count]]);
  }
  for (const [labels, buckets] of series) {
    const counts = buckets.map(([, count]) => count);
    deepEqual(
      buckets,
      [...buckets].sort(([a], [b]) => a - b),
      `${name}: bounds rise`,
    );
    deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
      `${name}: counts rise`,
    );
    equal(buckets.at(-1)![0], Number.POSITIVE_INFINITY, name);
    equal(samples.get(`${name}_count${labels && `{${labels}}`}`), counts.at(-1), `${name}{${labels}}`);
  }
}
