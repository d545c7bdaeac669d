// Filters: values and bounds that are chosen, the conditions that they make, and the boxes to choose them.
// Whoever listens to their changes finds `chosen` and `ranges` changed.
import { element, part } from "./elements.js";

const VALUES_SHOWN = 12;

/** Of the index that is shown: field -> chosen values. */
export const chosen = new Map();
/** Field of numbers -> the least and the greatest that is let through; null: any. */
export const ranges = new Map();

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
  const distribution = joined(answers.map(({ facetDistribution }) => facetDistribution));
  const stats = joined(answers.map(({ facetStats }) => facetStats));
  const fields = Object.entries(distribution).filter(
    ([field, counts]) => chosen.has(field) || ranges.has(field) || Object.keys(counts).length > 0,
  );
  const { activeElement } = document;
  const focused = part("facets").contains(activeElement) ? activeElement : null;
  const typed = focused?.type === "number" ? focused.closest("fieldset") : null;
  const fieldsets = fields.map(([field, counts]) => {
    if (typed?.querySelector("legend").textContent === field) return typed;
    const isRange = stats[field] !== undefined || ranges.has(field);
    const controls = isRange ? range(field, stats[field]) : values(field, counts);
    return element("fieldset", {}, element("legend", { textContent: field }), ...controls);
  });
  replaceFieldsets(fieldsets);
  if (focused !== null) focusAgain(focused);
}

/** Fields may be named like members of every object. */
const joined = (parts) => Object.assign(Object.create(null), ...parts);

/**
 * One that is there already stays: a bound is being typed in it, and nothing that takes its place would know of
 * the change. Its bounds' placeholders are those of before.
 */
function replaceFieldsets(fieldsets) {
  for (const old of [...part("facets").children]) if (!fieldsets.includes(old)) old.remove();
  const kept = fieldsets.findIndex(({ isConnected }) => isConnected);
  part("facets").prepend(...fieldsets.slice(0, Math.max(kept, 0)));
  part("facets").append(...fieldsets.slice(kept + 1));
}

/** The box that has taken the place of one that had the focus. */
function focusAgain({ name }) {
  [...part("facets").querySelectorAll("input")].find((input) => input.name === name)?.focus();
}

/** A box for each value, the frequent ones first. */
function values(field, counts) {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const shown = new Map(sorted.slice(0, VALUES_SHOWN));
  for (const value of chosen.get(field) ?? []) {
    if (!shown.has(value)) shown.set(value, Object.hasOwn(counts, value) ? counts[value] : 0);
  }
  return [...shown].map(([value, count]) => {
    const isChosen = chosen.get(field)?.has(value) ?? false;
    const box = element("input", {
      type: "checkbox",
      name: JSON.stringify([field, value]),
      checked: isChosen,
    });
    box.addEventListener("change", () => choose(field, value, box.checked));
    const name = element("span", { className: "value", textContent: value, title: value });
    const number = element("span", { className: "count", textContent: count.toLocaleString() });
    return element("label", {}, box, name, number);
  });
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
