// The fields of an index in the view of its settings, with boxes for what they may be used for.
import { element } from "./elements.js";
import { ask, send } from "./server.js";
import { endOf } from "./tasks.js";

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
  const rows = [...fields].slice(0, FIELDS_SHOWN).map((field) => {
    const boxes = Object.entries(USES).map(([setting, [, name]]) => box(field, setting, name, settings));
    const cells = [field, counts[field]?.toLocaleString() ?? ""].map((textContent) =>
      element("td", { textContent }),
    );
    return element("tr", {}, ...cells, ...boxes.map((made) => element("td", {}, made)));
  });
  const heads = head.map((textContent) => element("th", { textContent }));
  const body = element("tbody", {}, ...rows);
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
}

function box(field, setting, name, settings) {
  const checked = settings[setting].includes(field);
  const made = element("input", { type: "checkbox", name: setting, value: field, checked });
  made.setAttribute("aria-label", `${name} ${field}`);
  return made;
}

/** Fulfilled when the index has been built anew. `path`: of the index. */
export async function changeUse(path, { name, value, checked }) {
  const route = `${path}/settings/${USES[name][0]}`;
  const others = (await ask(route)).filter((attribute) => attribute !== value);
  const { taskUid } = await send("PUT", route, JSON.stringify(checked ? [...others, value] : others));
  await endOf([taskUid]);
}
