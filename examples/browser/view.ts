// What the page shows: results with their matches marked, and the filters. Called by app.ts.
import type { Hit, SearchAnswer } from "tarsier/browser";
import { FACETS, type Facet, MATCH_END, MATCH_START, type Package, type Question } from "./catalogue.ts";

const TITLES: Record<Facet, string> = { section: "Section", priority: "Priority", tags: "Tags" };
const VALUES_SHOWN_MAX: Record<Facet, number> = { section: 14, priority: 5, tags: 8 };
const CHIPS_MAX = 4;
export const SIZES: readonly [expression: string, label: string][] = [
  ["", "Any size"],
  ["installedSize < 100", "Below 100 kB"],
  ["installedSize 100 TO 1000", "100 kB to 1 MB"],
  ["installedSize 1000 TO 10000", "1 to 10 MB"],
  ["installedSize > 10000", "Above 10 MB"],
];

let numbers: Intl.NumberFormat | null = null;

/** The first call takes longer than all else here: made while the catalogue is being opened. */
export function numberText(value: number): string {
  numbers ??= new Intl.NumberFormat("en");
  return numbers.format(value);
}

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Partial<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function showResults(list: HTMLElement, { hits }: SearchAnswer<Package>): void {
  list.replaceChildren(...hits.map(resultOf));
}

function resultOf(hit: Hit<Package>): HTMLElement {
  const shown = (hit._formatted ?? {}) as Partial<Record<keyof Package, string>>;
  const title = element("h2", {}, ...marked(shown.name ?? hit.name), " ");
  title.append(element("span", { class: "version" }, hit.version));
  const chips = [hit.section, sizeText(hit.installedSize), ...(hit.tags ?? []).slice(0, CHIPS_MAX)];
  return element(
    "li",
    {},
    title,
    element("p", {}, ...marked(shown.synopsis ?? "")),
    element("p", { class: "text" }, ...marked(shown.description ?? "")),
    element("div", { class: "chips" }, ...chips.map((chip) => element("span", {}, chip))),
  );
}

/** Texts of documents are never taken for HTML. */
function marked(text: string): (Node | string)[] {
  const [before, ...matches] = text.split(MATCH_START);
  const pieces: (Node | string)[] = [before];
  for (const match of matches) {
    const [inside, behind = ""] = match.split(MATCH_END);
    pieces.push(element("mark", {}, inside), behind);
  }
  return pieces;
}

export function showFilters(nav: HTMLElement, answer: SearchAnswer<Package>, question: Question): void {
  const focused = document.activeElement?.id;
  const groups = FACETS.map((facet) => facetGroup(facet, answer.facetDistribution?.[facet] ?? {}, question));
  nav.replaceChildren(...groups, sizeGroup(question));
  if (focused) document.getElementById(focused)?.focus();
}

function facetGroup(facet: Facet, counts: Record<string, number>, { chosen }: Question): HTMLElement {
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const names = new Set([...chosen[facet], ...all.slice(0, VALUES_SHOWN_MAX[facet]).map(([name]) => name)]);
  const rows = [...names].map((name) => {
    const isChosen = chosen[facet].has(name);
    return choice("checkbox", facet, name, name, isChosen, numberText(counts[name] ?? 0));
  });
  return element("fieldset", {}, element("legend", {}, TITLES[facet]), ...rows);
}

function sizeGroup({ size }: Question): HTMLElement {
  const rows = SIZES.map(([expression, label]) =>
    choice("radio", "size", expression, label, expression === size, ""),
  );
  return element("fieldset", {}, element("legend", {}, "Installed size"), ...rows);
}

function choice(
  type: string,
  name: string,
  value: string,
  label: string,
  isChosen: boolean,
  count: string,
): HTMLElement {
  const id = `${name}-${value.replace(/\W+/g, "-")}`;
  const input = element("input", { type, name, value, id });
  input.checked = isChosen;
  return element("label", {}, input, element("span", {}, label), element("span", { class: "count" }, count));
}

export function summaryOf(answer: SearchAnswer<Package>, milliseconds: number): string {
  const total = answer.estimatedTotalHits ?? 0;
  const noun = total === 1 ? "package" : "packages";
  const times = `${milliseconds.toFixed(1)} ms, of which ${answer.processingTimeMs} ms in the engine`;
  return `${numberText(total)} ${noun} in ${times}`;
}

export const countText = (count: number): string => `${numberText(count)} packages, searched in this page`;

function sizeText(kilobytes: number): string {
  if (kilobytes < 1000) return `${kilobytes} kB`;
  return kilobytes < 1e6 ? `${(kilobytes / 1000).toFixed(1)} MB` : `${(kilobytes / 1e6).toFixed(1)} GB`;
}
