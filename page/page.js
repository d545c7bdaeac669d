// The page at /: search as you type, filters, order, settings and tasks of an index. It speaks to the server
// that it came from and to nobody else; what documents hold is written as text, never as markup.
import { element, part } from "./elements.js";
import { boundsOf, chosen, conditionsOf, ranges, showFacets } from "./facets.js";
import { ask, isRefused, key } from "./server.js";
import { showTasks } from "./tasks.js";

const HITS_PER_PAGE = 20;
const TASKS_EVERY_MS = 1000;
/** Longer settings are written in several lines. */
const LINE_CHARACTERS_MAX = 100;
/** Longer values have a line of their own. */
const SHORT_CHARACTERS_MAX = 48;
/** Of the fields whose name is one of these, the first one heads its document. */
const HEADINGS = /^(title|name|label|headline|subject)$/i;
/** Around what matched: characters for private use, which documents hardly have. */
const [BEGIN, END] = ["\ue000", "\ue001"];

/** Answers to earlier requests are not shown over those to later ones. */
let lastAsked = 0;
let lastAttempted = 0;
let shownHits = 0;
/** An index without filterable attributes refuses to be asked for facets. */
let hasFacets = true;
/** Name of the embedder that a search asks; null: none. */
let embedder = null;

/** Runs an action and shows what went wrong with it; what went wrong with a later one stays. */
async function attempt(action) {
  const attempted = ++lastAttempted;
  try {
    await action();
    if (attempted === lastAttempted) part("trouble").hidden = true;
  } catch (error) {
    // A search is one of several in a request; that is no concern of who reads this.
    const message = error.message.replace(/^Inside `\.queries\[\d+\]`: /, "");
    part("trouble").textContent = isRefused(error) ? `${message} (enter a key above)` : message;
    part("trouble").hidden = false;
  }
}

const indexUid = () => (part("index").hidden ? part("indexName").value : part("index").value);
const pathOf = (uid) => `indexes/${encodeURIComponent(uid)}`;

/** A key that may not list the indexes may still search one whose name is known. */
async function listIndexes() {
  try {
    const { results } = await ask("indexes?limit=1000");
    const before = part("index").value || location.hash.slice(1);
    part("index").replaceChildren(
      ...results.map(({ uid }) => element("option", { value: uid, textContent: uid })),
    );
    if (results.some(({ uid }) => uid === before)) part("index").value = before;
    part("index").hidden = false;
    part("indexName").hidden = true;
    if (results.length === 0) {
      clear();
      return say("No index yet: add documents first.");
    }
  } catch (error) {
    if (!isRefused(error) || !key.value) {
      clear();
      throw error;
    }
    part("index").hidden = true;
    part("indexName").hidden = false;
    part("indexName").value ||= location.hash.slice(1);
    if (part("indexName").value === "") {
      clear();
      return say(`This key may not list the indexes: enter the name of one. (${error.message})`);
    }
  }
  await openIndex();
}

async function openIndex() {
  chosen.clear();
  ranges.clear();
  hasFacets = true;
  location.hash = indexUid();
  await readChoices();
  await showView();
}

/** What there is to choose: orders and embedders. A key that may not read the settings goes without. */
async function readChoices() {
  const settings = await ask(`${pathOf(indexUid())}/settings`).catch(() => null);
  // Points are ordered by their distance from somewhere: there is nothing here to say from where.
  const names = (settings?.sortableAttributes ?? []).filter((name) => name !== "_geo");
  const orders = names.flatMap((name) => [
    [`${name}:asc`, `${name}, rising`],
    [`${name}:desc`, `${name}, falling`],
  ]);
  const options = [["", "by relevance"], ...orders];
  part("sort").replaceChildren(
    ...options.map(([value, text]) => element("option", { value, textContent: text })),
  );
  embedder =
    Object.entries(settings?.embedders ?? {}).find(([, { source }]) => source !== "userProvided")?.[0] ??
    null;
  part("semanticLabel").hidden = embedder === null;
}

/** Hits from the offset on; what there is to choose only comes with the first ones. */
function hitsQuery(offset) {
  return {
    ...matchesQuery(),
    offset,
    limit: HITS_PER_PAGE,
    attributesToHighlight: ["*"],
    highlightPreTag: BEGIN,
    highlightPostTag: END,
    showRankingScore: true,
    ...(offset === 0 && hasFacets && { facets: ["*"] }),
    ...(part("sort").value && { sort: [part("sort").value] }),
  };
}

/** The values of a field, as if nothing were chosen in it: so that more of them can be chosen. */
const valuesQuery = (field) => ({ ...matchesQuery(field), limit: 0, facets: [field] });

function matchesQuery(exceptField) {
  const others = (map) => [...map].filter(([field]) => field !== exceptField);
  const semanticRatio = Number(part("semantic").value);
  return {
    indexUid: indexUid(),
    q: part("query").value,
    filter: others(chosen).map(conditionsOf).concat(others(ranges).flatMap(boundsOf)),
    ...(embedder !== null && semanticRatio > 0 && { hybrid: { embedder, semanticRatio } }),
  };
}

async function search(offset = 0) {
  if (indexUid() === "") return;
  const asked = ++lastAsked;
  const start = performance.now();
  const found = await askHits(offset).catch((error) => ({ error }));
  if (asked !== lastAsked) return;
  if (found.error) {
    clear();
    throw found.error;
  }
  const [answer, ...counts] = found;
  const { hits, estimatedTotalHits, processingTimeMs } = answer;
  const took = Math.round(performance.now() - start);
  const count = `${estimatedTotalHits.toLocaleString()} ${estimatedTotalHits === 1 ? "hit" : "hits"}`;
  say(`${count} in ${processingTimeMs} ms (${took} ms with the way here and back)`);
  if (offset === 0) {
    part("hits").replaceChildren();
    showFacets([answer, ...counts]);
  }
  part("hits").append(...hits.map(card));
  shownHits = offset + hits.length;
  part("more").hidden = hits.length === 0 || shownHits >= estimatedTotalHits;
}

/** What was found before belongs to another question, or to another key. */
function clear() {
  say("");
  for (const name of ["hits", "facets"]) part(name).replaceChildren();
  part("more").hidden = true;
}

/** The hits, and the values of each field that narrows them. */
async function askHits(offset) {
  const narrowed = offset === 0 ? [...chosen.keys(), ...ranges.keys()] : [];
  const queries = [hitsQuery(offset), ...narrowed.map(valuesQuery)];
  try {
    return (await ask("multi-search", { queries })).results;
  } catch (error) {
    if (error.code !== "invalid_search_facets" || !hasFacets) throw error;
    hasFacets = false;
    return askHits(offset);
  }
}

function say(text) {
  part("state").textContent = text;
}

function card({ _formatted = {}, _rankingScore, ...fields }) {
  const names = Object.keys(fields);
  const heading = names.find((name) => HEADINGS.test(name) && typeof fields[name] === "string");
  const textOf = (name) => marked(_formatted[name] ?? fields[name]);
  const rows = names
    .filter((name) => name !== heading)
    .map((name) => {
      const value = element("dd", {}, ...textOf(name));
      const isLong = value.textContent.length > SHORT_CHARACTERS_MAX || value.textContent.includes("\n");
      return element("div", { className: isLong ? "long" : "" }, element("dt", { textContent: name }), value);
    });
  const score = element("span", {
    className: "score",
    title: "ranking score",
    textContent: _rankingScore?.toFixed(4) ?? "",
  });
  const title = heading === undefined ? [] : [element("h2", { title: heading }, ...textOf(heading))];
  return element("li", {}, score, ...title, element("dl", {}, ...rows));
}

/** A value as text, with what matched in <mark>. */
function marked(value) {
  const isList = Array.isArray(value) && value.every((one) => typeof one !== "object");
  const text = typeof value === "string" ? value : isList ? value.join(", ") : JSON.stringify(value, null, 1);
  return text.split(BEGIN).flatMap((piece, at) => {
    if (at === 0) return [piece];
    const [match, ...rest] = piece.split(END);
    return [element("mark", { textContent: match }), rest.join(END)];
  });
}

async function showSettings() {
  const uid = indexUid();
  if (uid === "") return part("view-settings").replaceChildren();
  const [settings, stats] = await Promise.all([ask(`${pathOf(uid)}/settings`), ask(`${pathOf(uid)}/stats`)]);
  const rows = Object.entries({ documents: stats.numberOfDocuments, ...settings }).flatMap(
    ([name, value]) => [
      element("dt", { textContent: name }),
      element("dd", { textContent: inFewLines(value) }),
    ],
  );
  part("view-settings").replaceChildren(element("dl", {}, ...rows));
}

function inFewLines(value) {
  const line = JSON.stringify(value);
  return line.length > LINE_CHARACTERS_MAX ? JSON.stringify(value, null, 2) : line.replaceAll('","', '", "');
}

const VIEWS = { search: () => search(), settings: showSettings, tasks: showTasks };

const view = () =>
  Object.keys(VIEWS).find((name) => part(`tab-${name}`).getAttribute("aria-selected") === "true");

function showView() {
  return VIEWS[view()]();
}

function select(name) {
  for (const other of Object.keys(VIEWS)) {
    part(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    part(`tab-${other}`).tabIndex = other === name ? 0 : -1;
    part(`view-${other}`).hidden = other !== name;
  }
  attempt(showView);
}

for (const [at, name] of Object.keys(VIEWS).entries()) {
  part(`tab-${name}`).addEventListener("click", () => select(name));
  part(`tab-${name}`).addEventListener("keydown", (event) => {
    const { key: pressed } = event;
    const names = Object.keys(VIEWS);
    const places = { ArrowRight: (at + 1) % names.length, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (!Object.hasOwn(places, pressed)) return;
    event.preventDefault();
    const next = names.at(places[pressed]);
    select(next);
    part(`tab-${next}`).focus();
  });
}
part("form").addEventListener("submit", (event) => event.preventDefault());
for (const name of ["query", "semantic"]) part(name).addEventListener("input", () => attempt(() => search()));
part("sort").addEventListener("change", () => attempt(() => search()));
part("facets").addEventListener("change", () => attempt(() => search()));
part("more").addEventListener("click", () => attempt(() => search(shownHits)));
part("index").addEventListener("change", () => attempt(openIndex));
part("indexName").addEventListener("change", () => attempt(openIndex));
key.addEventListener("change", () => {
  sessionStorage.setItem("key", key.value);
  attempt(listIndexes);
});
setInterval(() => {
  if (view() === "tasks" && !document.hidden) attempt(showTasks);
}, TASKS_EVERY_MS);
attempt(listIndexes);
