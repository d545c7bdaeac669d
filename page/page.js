// The page at /: search as you type, filters, order, settings and tasks of an index, and documents to add. It
// speaks to the server that it came from and to nobody else; what documents hold is written as text, never as
// markup.
import { addDocuments, listenToAddition, offerNames, takeFile } from "./addition.js";
import { element, part } from "./elements.js";
import {
  boundsOf,
  chosen,
  clearChoices,
  clearFacets,
  conditionsOf,
  ranges,
  readFaceting,
  refuseToSeek,
  showFacets,
  sought,
} from "./facets.js";
import { changeUse, fieldsTable } from "./fields.js";
import { ask, isForSearches, key, pathOf, told } from "./server.js";
import { showTasks } from "./tasks.js";

const HITS_PER_PAGE = 20;
/** How often tasks, and documents that are not there yet, are asked for. */
const AGAIN_EVERY_MS = 1000;
/** Beside the hits there is room for filters: as in page.css. */
const WIDE = "(width >= 45rem)";
/** Longer settings are written in several lines. */
const LINE_CHARACTERS_MAX = 100;
/** Longer values have a line of their own. */
const SHORT_CHARACTERS_MAX = 48;
/** Of the fields whose name is one of these, the first one heads its document. */
const HEADINGS = /^(title|name|label|headline|subject)$/i;
/** Around what matched: characters for private use, which documents hardly have. */
const [BEGIN, END] = ["\ue000", "\ue001"];

/** Refusals to look for values, of a field or at all. */
const UNSOUGHT = ["invalid_facet_search_facet_name", "facet_search_disabled"];

/** Answers to earlier requests are not shown over those to later ones. */
let lastAsked = 0;
let lastAttempted = 0;
let shownHits = 0;
/** Whether there is neither an index nor a document to show: they may still come. */
let isEmpty = false;
let isAskedAgain = false;
/** An index without filterable attributes refuses to be asked for facets. */
let hasFacets = true;
/** How many hits the index lets be paged through. */
let hitsMost = Number.POSITIVE_INFINITY;
/** Name of the embedder that a search asks; null: none. */
let embedder = null;

/** Runs an action and shows what went wrong with it; what went wrong with a later one stays. */
async function attempt(action) {
  const attempted = ++lastAttempted;
  try {
    await action();
    if (attempted === lastAttempted) part("trouble").hidden = true;
  } catch (error) {
    write("trouble", told(error));
    part("trouble").hidden = false;
  }
}

const indexUid = () => (part("index").hidden ? part("indexName").value : part("index").value);
/** What the address names. */
const addressed = () => /^#([\w-]+)$/.exec(location.hash)?.[1] ?? "";
const optionOf = (uid) => element("option", { value: uid, textContent: uid });

/** A key that may not list the indexes may still search one whose name is known. */
async function listIndexes() {
  try {
    const { results } = await ask("indexes?limit=1000");
    const uids = results.map(({ uid }) => uid);
    const wanted = [addressed(), part("index").value].find((uid) => uids.includes(uid));
    part("index").replaceChildren(...uids.map(optionOf));
    if (wanted !== undefined) part("index").value = wanted;
    offerNames(uids);
    showNameField(false);
    isEmpty = uids.length === 0;
    part("addFirst").hidden = !isEmpty;
    if (isEmpty) return clear("No index yet: add documents first.");
  } catch (error) {
    isEmpty &&= isPassing(error);
    part("addFirst").hidden = !isEmpty;
    if (!isForSearches(error)) {
      clear();
      throw error;
    }
    showNameField(true);
    part("indexName").value ||= addressed();
    if (part("indexName").value === "")
      return clear("This key may not list the indexes: enter the name of one.");
  }
  // What nobody has chosen is nothing to go back from.
  history.replaceState(null, "", `#${indexUid()}`);
  await openIndex();
}

/** To be chosen later. While there is none, the list is asked for again and again anyway. */
function offerIndex(uid) {
  const uids = [...part("index").options].map(({ value }) => value);
  if (isUnlisted() || uids.includes(uid)) return;
  part("index").append(optionOf(uid));
  offerNames([...uids, uid]);
}

function showNameField(isShown) {
  part("index").hidden = isShown;
  part("indexName").hidden = !isShown;
}

function chooseIndex() {
  location.hash = indexUid();
  return openIndex();
}

/** Back, or another address in the same tab. */
async function followAddress() {
  const uid = addressed();
  if (uid === "" || uid === indexUid()) return;
  const { hidden, options } = part("index");
  // There may be more than when they were listed.
  if (!hidden && ![...options].some(({ value }) => value === uid)) return listIndexes();
  part(hidden ? "indexName" : "index").value = uid;
  await openIndex();
}

async function openIndex() {
  clearChoices();
  // Neither what there was to choose in another index nor what was asked of it is for this one.
  clearFacets();
  lastAsked++;
  const uid = indexUid();
  const settings = await ask(`${pathOf(uid)}/settings`).catch(() => null);
  // Another one was chosen meanwhile.
  if (uid !== indexUid()) return;
  readChoices(settings);
  await showView();
}

/** What there is to choose: orders, facets and embedders. A key that may not read the settings goes without. */
function readChoices(settings) {
  readFaceting(settings);
  // Points are ordered by their distance from somewhere: there is nothing here to say from where.
  const names = (settings?.sortableAttributes ?? []).filter((name) => name !== "_geo");
  const orders = names.flatMap((name) => [
    [`${name}:asc`, `${name}, ascending`],
    [`${name}:desc`, `${name}, descending`],
  ]);
  const options = [["", "by relevance"], ...orders];
  part("sort").replaceChildren(
    ...options.map(([value, text]) => element("option", { value, textContent: text })),
  );
  hasFacets = settings?.filterableAttributes.some(mayHaveFacets) ?? true;
  hitsMost = settings?.pagination.maxTotalHits ?? Number.POSITIVE_INFINITY;
  embedder =
    Object.entries(settings?.embedders ?? {}).find(([, { source }]) => source !== "userProvided")?.[0] ??
    null;
  part("semanticLabel").hidden = embedder === null;
}

function mayHaveFacets(attribute) {
  const { equality, comparison } = attribute.features?.filter ?? { equality: true };
  return equality || comparison;
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
    isEmpty &&= isPassing(found.error);
    clear();
    throw found.error;
  }
  const [answer, ...counts] = found;
  const { hits, estimatedTotalHits: total, processingTimeMs } = answer;
  const took = Math.round(performance.now() - start);
  const count = `${total.toLocaleString()} ${total === 1 ? "hit" : "hits"}`;
  write("state", `${count} in ${processingTimeMs} ms (${took} ms including the round trip)`);
  if (offset === 0) {
    part("hits").replaceChildren();
    showFacets([answer, ...counts]);
  }
  part("hits").append(...hits.map(card));
  shownHits = offset + hits.length;
  const isWhole = part("query").value === "" && chosen.size + ranges.size === 0;
  isEmpty = isWhole && total === 0 && !part("index").hidden;
  // The last page that the bound of the index leaves may be whole.
  const isEnd = hits.length < HITS_PER_PAGE || shownHits >= Math.min(total, hitsMost);
  part("more").hidden = isEnd;
  const isCut = isEnd && shownHits < total;
  write("end", isCut ? `${count}: the first ${shownHits.toLocaleString()} can be shown` : "");
}

/** What was found before belongs to another question, or to another key. */
function clear(state = "") {
  write("state", state);
  part("hits").replaceChildren();
  clearFacets();
  part("more").hidden = true;
  write("end", "");
}

/** What is read aloud when it changes stays where it says the same. */
function write(name, text) {
  if (part(name).textContent !== text) part(name).textContent = text;
}

/** The hits, and the values of each field that narrows them. */
async function askHits(offset) {
  const narrowed = offset === 0 ? [...chosen.keys(), ...ranges.keys()] : [];
  const queries = [hitsQuery(offset), ...narrowed.map(valuesQuery)];
  const looked = offset === 0 ? [...sought] : [];
  try {
    const asked = [ask("multi-search", { queries }), ...looked.map(soughtValues)];
    const [{ results }, ...found] = await Promise.all(asked);
    return [...results, ...found];
  } catch (error) {
    if (error.code !== "invalid_search_facets" || !hasFacets) throw error;
    hasFacets = false;
    return askHits(offset);
  }
}

/** Those that begin with what was typed; none where the server looks for no values of the field. */
async function soughtValues([field, facetQuery]) {
  const { indexUid: uid, ...matches } = matchesQuery(field);
  const query = { ...matches, facetName: field, facetQuery };
  try {
    const { facetHits } = await ask(`${pathOf(uid)}/facet-search`, query);
    const counts = Object.fromEntries(facetHits.map(({ value, count }) => [value, count]));
    return { foundValues: { [field]: counts } };
  } catch (error) {
    if (!UNSOUGHT.includes(error.code)) throw error;
    if (uid === indexUid()) refuseToSeek(field);
    return {};
  }
}

function card({ _formatted = {}, _rankingScore, ...fields }) {
  const names = Object.keys(fields);
  const heading = names.find((name) => HEADINGS.test(name) && typeof fields[name] === "string");
  const textOf = (name) => marked(_formatted[name] ?? fields[name]);
  const rows = names
    .filter((name) => name !== heading)
    .map((name) => {
      const value = element("dd", {}, textOf(name));
      const isLong = value.textContent.length > SHORT_CHARACTERS_MAX || value.textContent.includes("\n");
      return element("div", { className: isLong ? "long" : "" }, element("dt", { textContent: name }), value);
    });
  const score = element("span", {
    className: "score",
    title: "ranking score",
    textContent: _rankingScore?.toFixed(4) ?? "",
  });
  const title = heading === undefined ? [] : [element("h2", { title: heading }, textOf(heading))];
  return element("li", {}, score, ...title, element("dl", {}, ...rows));
}

/** A value as text, with what matched in <mark>. One by one: a long text has more matches than a call takes. */
function marked(value) {
  const isList = Array.isArray(value) && value.every((one) => typeof one !== "object");
  const text = typeof value === "string" ? value : isList ? value.join(", ") : JSON.stringify(value, null, 1);
  const [before, ...pieces] = text.split(BEGIN);
  const parts = document.createDocumentFragment();
  parts.append(before);
  for (const piece of pieces) {
    const [match, ...rest] = piece.split(END);
    parts.append(element("mark", { textContent: match }), rest.join(END));
  }
  return parts;
}

async function showSettings() {
  const uid = indexUid();
  if (uid === "") return part("view-settings").replaceChildren();
  const [settings, stats] = await Promise.all([ask(`${pathOf(uid)}/settings`), ask(`${pathOf(uid)}/stats`)]);
  // Another one was chosen meanwhile.
  if (uid !== indexUid()) return;
  const rows = Object.entries({ documents: stats.numberOfDocuments, ...settings }).flatMap(
    ([name, value]) => [element("dt", { textContent: name }), settingValue(inFewLines(value))],
  );
  const fields = element("fieldset", {}, fieldsTable(stats.fieldDistribution, settings));
  part("view-settings").replaceChildren(fields, element("dl", {}, ...rows));
}

/** Of many lines some are shown, to be scrolled by keys as well. */
function settingValue(textContent) {
  return element("dd", { textContent, ...(textContent.includes("\n") && { tabIndex: 0 }) });
}

/** A box for the use of a field was ticked: the index is built anew before the next one can be. */
async function changeField(ticked) {
  const uid = indexUid();
  ticked.closest("fieldset").disabled = true;
  await attempt(async () => {
    try {
      await changeUse(uid, ticked);
    } finally {
      if (uid === indexUid()) await openIndex();
    }
  });
  const { name, value } = ticked;
  part("view-settings")
    .querySelector(`[name=${name}][value="${CSS.escape(value)}"]`)
    ?.focus();
}

/** Shows what was added, unless another view was chosen meanwhile. */
async function add() {
  const uid = await addDocuments();
  if (uid === null) return;
  if (view() !== "add") return offerIndex(uid);
  history.pushState(null, "", `#${uid}`);
  part("indexName").value = uid;
  await listIndexes();
  select("search");
}

function inFewLines(value) {
  const line = JSON.stringify(value);
  return line.length > LINE_CHARACTERS_MAX ? JSON.stringify(value, null, 2) : line.replaceAll('","', '", "');
}

/**
 * Tasks are shown as they go on; the first index, or the first documents of one, when they are there. A
 * server that takes its time is not asked once more meanwhile.
 */
async function askAgain() {
  if (isAskedAgain) return;
  isAskedAgain = true;
  if (view() === "tasks") await attempt(showTasks);
  if (isEmpty && (isUnlisted() || view() === "search")) await attempt(isUnlisted() ? listIndexes : openIndex);
  isAskedAgain = false;
}

const isUnlisted = () => !part("index").hidden && part("index").value === "";

/** The server refuses nothing: it is away. */
const isPassing = ({ code }) => code === undefined;

function writeRatio() {
  write("semanticValue", part("semantic").value);
}

const VIEWS = { search: () => search(), settings: showSettings, tasks: showTasks, add: () => {} };

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
for (const name of ["query", "semantic"]) {
  part(name).addEventListener("input", () => {
    writeRatio();
    attempt(() => (isUnlisted() ? listIndexes() : search()));
  });
}
part("sort").addEventListener("change", () => attempt(() => search()));
// A value that is looked for is so while it is typed, all others once they are chosen.
for (const type of ["input", "change"]) {
  part("facets").addEventListener(type, ({ target }) => {
    if ((target.type === "search") === (type === "input")) attempt(() => search());
  });
}
part("view-settings").addEventListener("change", ({ target }) => changeField(target));
part("addition").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(add);
});
part("addFirst").addEventListener("click", () => {
  select("add");
  part("addedFile").focus();
});
for (const type of ["dragover", "drop"]) {
  addEventListener(type, (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    if (type === "dragover") return;
    takeFile(event.dataTransfer);
    select("add");
  });
}
part("more").addEventListener("click", () => attempt(() => search(shownHits)));
part("index").addEventListener("change", () => attempt(chooseIndex));
part("indexName").addEventListener("change", () => attempt(chooseIndex));
key.addEventListener("change", () => {
  sessionStorage.setItem("key", key.value);
  // What another key has shown is not for this one.
  clear();
  for (const name of ["view-settings", "tasks", "index"]) part(name).replaceChildren();
  offerNames([]);
  attempt(listIndexes);
});
// What is typed nowhere is searched for.
addEventListener("keydown", ({ key: pressed, ctrlKey, metaKey, altKey }) => {
  const isNowhere = document.activeElement === document.body && view() === "search";
  // What a browser fills in by itself comes without a key.
  const isLetter = pressed?.length === 1 && pressed !== " " && !ctrlKey && !metaKey && !altKey;
  if (isNowhere && isLetter) part("query").focus();
});
const wide = matchMedia(WIDE);
// Beside the hits there is nothing to unfold them with.
const unfoldFilters = () => {
  part("filters").open = wide.matches;
};
wide.addEventListener("change", unfoldFilters);
addEventListener("hashchange", () => attempt(followAddress));
addEventListener("focus", askAgain);
setInterval(() => {
  if (!document.hidden) askAgain();
}, AGAIN_EVERY_MS);
unfoldFilters();
writeRatio();
listenToAddition();
attempt(listIndexes);
