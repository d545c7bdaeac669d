// Makes the gauges and counters whose values are read when somebody asks for the metrics. Called by gauges.ts
// and enginegauges.ts.
import type { Registry } from "prom-client";

/** Only the type: the library itself is loaded when somebody asks. */
export type Prometheus = typeof import("prom-client");

/** One value for each set of labels. */
export type LabelledValues = readonly (readonly [labels: Record<string, string>, value: number])[];
type Setter = (name: string, help: string, values: number | LabelledValues) => void;

/** A metric with labels but no values is left out. */
export function metricSetters(
  { Gauge, Counter }: Prometheus,
  registry: Registry,
  prefix: string,
): { gauge: Setter; counter: Setter } {
  const settings = (name: string, help: string, values: LabelledValues) => {
    return { name: prefix + name, help, labelNames: Object.keys(values[0][0]), registers: [registry] };
  };
  const listOf = (values: number | LabelledValues): LabelledValues =>
    typeof values === "number" ? [[{}, values]] : values;
  return {
    gauge(name, help, values) {
      const list = listOf(values);
      if (list.length === 0) return;
      const gauge = new Gauge(settings(name, help, list));
      for (const [labels, value] of list) gauge.set(labels, value);
    },
    counter(name, help, values) {
      const list = listOf(values);
      if (list.length === 0) return;
      const counter = new Counter(settings(name, help, list));
      for (const [labels, value] of list) counter.inc(labels, value);
    },
  };
}
