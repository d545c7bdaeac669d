// Filters: values and bounds that are chosen, the conditions that they make, and the boxes to choose them.
// Whoever listens to their changes finds `chosen`, `ranges` and `sought` changed.
import { element, part } from "./elements.js";

const VALUES_SHOWN = 12;
const DEFAULT_FACETING = { maxValuesPerFacet: 100, sortFacetValuesBy: {} };

/** Of the index that is shown: field -> chosen values. */
export const chosen = new Map();
/** Field of numbers -> the least and the greatest that is let through; null: any. */
export const ranges = new Map();

/** Field with more values than are listed -> the beginning of those that are looked for. */
export const sought = new Map();

/** Of the index that is shown: how many values of a field an answer lists, and which of them come first. */
let faceting = {};
/** Fields whose values the server has refused to look for, as a rule of what may be filtered may say. */
const refused = new Set();

export function clearChoices() {
  for (const choices of [chosen, ranges, sought, refused]) choices.clear();
}

/** Values of the field are looked for no more. */
export function refuseToSeek(field) {
  refused.add(field);
  sought.delete(field);
}

/** `settings`: null where the key may not read them. */
export function readFaceting(settings) {
  faceting = { ...DEFAULT_FACETING, ...settings?.faceting, isSought: settings?.facetSearch ?? true };
}

const maySeek = (field) => faceting.isSought && !refused.has(field);

/** Documents with one of the values. */
export const conditionsOf = ([field, values]) =>
  [...values].map((value) => `${quoted(field)} = ${quoted(value)}`);

export const boundsOf = ([field, [least, greatest]]) => [
  ...(least === null ? [] : [`${quoted(field)} >= ${least}`]),
  ...(greatest === null ? [] : [`${quoted(field)} <= ${greatest}`]),
];

const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** What a later answer tells about a field counts. */
export function showFacets(answers) {
  const listed = joined(answers.map(({ facetDistribution }) => facetDistribution));
  const found = joined(answers.map(({ foundValues }) => foundValues));
  const distribution = joined([found, listed]);
  const stats = joined(answers.map(({ facetStats }) => facetStats));
  const fields = Object.entries(distribution).filter(
    ([field, counts]) =>
      [chosen, ranges, sought].some((choices) => choices.has(field)) || Object.keys(counts).length > 0,
  );
  const { activeElement } = document;
  const focused = part("facets").contains(activeElement) ? activeElement : null;
  const typed = ["number", "search"].includes(focused?.type) ? focused.closest("fieldset") : null;
  const fieldsets = fields.map(([field, counts]) => {
    const isTyped = typed?.querySelector("legend").textContent === field && !refused.has(field);
    if (isTyped && focused.type === "number") return typed;
    const isRange = stats[field] !== undefined || ranges.has(field);
    const controls = isRange ? range(field, stats[field]) : values(field, counts, found[field]);
    if (!isTyped || isRange)
      return element("fieldset", {}, element("legend", { textContent: field }), ...controls);
    typed.lastElementChild.replaceWith(controls.at(-1));
    return typed;
  });
  replaceFieldsets(fieldsets);
  if (focused !== null) focusAgain(focused);
}

/** Fields may be named like members of every object. */
const joined = (parts) => Object.assign(Object.create(null), ...parts);

/**
 * One that is there already stays: something is being typed in it, and nothing that takes its place would know
 * of the change. The placeholders of its bounds are those of before.
 */
function replaceFieldsets(fieldsets) {
  for (const old of [...part("facets").children]) if (!fieldsets.includes(old)) old.remove();
  const kept = fieldsets.findIndex(({ isConnected }) => isConnected);
  part("facets").prepend(...fieldsets.slice(0, Math.max(kept, 0)));
  part("facets").append(...fieldsets.slice(kept + 1));
  part("filters").hidden = fieldsets.length === 0;
}

export function clearFacets() {
  replaceFieldsets([]);
}

/** The box that has taken the place of one that had the focus. */
function focusAgain({ name }) {
  [...part("facets").querySelectorAll("input")].find((input) => input.name === name)?.focus();
}

/**
 * A box for each value, the frequent ones first; of very many, those that the server lists first. `found`: of
 * those that are looked for. Values that are only like these come last.
 */
function values(field, counts, found = counts) {
  const { maxValuesPerFacet, sortFacetValuesBy } = faceting;
  const listed = Object.entries(found);
  const isCut = listed.length >= maxValuesPerFacet;
  const order = Object.hasOwn(sortFacetValuesBy, field) ? field : "*";
  const isByCount = !isCut || sortFacetValuesBy[order] === "count";
  if (isByCount) listed.sort(([, a], [, b]) => b - a);
  const beginning = sought.get(field)?.toLowerCase() ?? "";
  const isAlike = ([value]) => !value.toLowerCase().startsWith(beginning);
  listed.sort((a, b) => isAlike(a) - isAlike(b));
  const shown = new Map(listed.slice(0, VALUES_SHOWN));
  // Of a chosen value that an answer has no room for, it is not known how many documents have it.
  const others = Object.keys(counts).length >= maxValuesPerFacet ? null : 0;
  for (const value of chosen.get(field) ?? []) {
    const known = [found, counts].find((some) => Object.hasOwn(some, value));
    if (!shown.has(value)) shown.set(value, known?.[value] ?? others);
  }
  const list = element("div", {}, ...[...shown].map(([value, count]) => valueBox(field, value, count)));
  const left = listed.length - VALUES_SHOWN;
  const more = isCut ? `and more${isByCount ? "" : ", by name"}` : `and ${left} more`;
  if (left > 0) list.append(element("p", { className: "more", textContent: more }));
  return maySeek(field) && (isCut || left > 0 || sought.has(field)) ? [finder(field), list] : [list];
}

function valueBox(field, value, count) {
  const box = element("input", {
    type: "checkbox",
    name: JSON.stringify([field, value]),
    checked: chosen.get(field)?.has(value) ?? false,
  });
  box.addEventListener("change", () => choose(field, value, box.checked));
  const name = element("span", { className: "value", textContent: value, title: value });
  const number = element("span", { className: "count", textContent: count?.toLocaleString() ?? "" });
  return element("label", {}, box, name, number);
}

/** Where the beginning of a value is typed. */
function finder(field) {
  const input = element("input", {
    type: "search",
    name: JSON.stringify([field]),
    placeholder: "find a value",
    value: sought.get(field) ?? "",
  });
  input.setAttribute("aria-label", `Find a value of ${field}`);
  input.addEventListener("input", () => {
    if (input.value === "") sought.delete(field);
    else sought.set(field, input.value);
  });
  return input;
}

/** Two bounds; what there is stands in them as long as they are empty. */
function range(field, stats) {
  const bounds = ranges.get(field) ?? [null, null];
  return ["from", "to"].map((name, at) => {
    const placeholder = String((at === 0 ? stats?.min : stats?.max) ?? "");
    const input = element("input", {
      type: "number",
      step: "any",
      name: JSON.stringify([field, at]),
      placeholder,
      value: bounds[at] ?? "",
    });
    input.addEventListener("change", () => {
      bounds[at] = input.value === "" ? null : Number(input.value);
      if (bounds.every((bound) => bound === null)) ranges.delete(field);
      else ranges.set(field, bounds);
    });
    return element("label", {}, element("span", { className: "bound", textContent: name }), input);
  });
}

function choose(field, value, isChosen) {
  const values = chosen.get(field) ?? new Set();
  if (isChosen) values.add(value);
  else values.delete(value);
  if (values.size > 0) chosen.set(field, values);
  else chosen.delete(field);
}
