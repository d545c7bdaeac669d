// The fields of an index in the view of its settings, with boxes for what they may be used for.
import { element } from "./elements.js";
import { ask, pathOf, send } from "./server.js";
import { allEnded, settingsAtRest, unlessFailed } from "./tasks.js";

/** Setting -> the last part of its route, and the head of its column. */
const USES = {
  filterableAttributes: ["filterable-attributes", "Filter"],
  sortableAttributes: ["sortable-attributes", "Sort"],
};
const FIELDS_SHOWN = 300;

/** `counts`: field -> documents that have it. */
export function fieldsTable(counts, settings) {
  const head = ["Field", "Documents", ...Object.values(USES).map(([, name]) => name)];
  const used = Object.keys(USES).flatMap((setting) => settings[setting]);
  // Of what is used, rules for several fields are no fields.
  const fields = new Set([...Object.keys(counts), ...used.filter((one) => typeof one === "string")]);
  // What is used is shown in any case: it may be to be unticked.
  const shown = [...fields].filter((field, at) => at < FIELDS_SHOWN || used.includes(field));
  const rows = shown.map((field) => {
    const boxes = Object.entries(USES).map(([setting, [, name]]) => box(field, setting, name, settings));
    const count = Object.hasOwn(counts, field) ? counts[field].toLocaleString() : "";
    const cells = [field, count].map((textContent) => element("td", { textContent }));
    return element("tr", {}, ...cells, ...boxes.map((made) => element("td", {}, made)));
  });
  const heads = head.map((textContent) => element("th", { textContent }));
  const body = element("tbody", {}, ...rows);
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  const left = fields.size - shown.length;
  if (left > 0) table.createCaption().textContent = `${left.toLocaleString()} more fields are not shown`;
  return table;
}

function box(field, setting, name, settings) {
  const checked = settings[setting].includes(field);
  const made = element("input", { type: "checkbox", name: setting, value: field, checked });
  made.setAttribute("aria-label", `${name} ${field}`);
  return made;
}

/** Fulfilled when the index has been built anew. */
export async function changeUse(uid, { name, value, checked }) {
  const route = `${pathOf(uid)}/settings/${USES[name][0]}`;
  // The list is sent as a whole: what others have changed in it is not in it before their task has ended.
  await settingsAtRest(uid);
  const others = (await ask(route)).filter((attribute) => attribute !== value);
  const { taskUid } = await send("PUT", route, JSON.stringify(checked ? [...others, value] : others));
  unlessFailed(await allEnded([taskUid]));
}
