// The page that GET / answers in development: choose an index, search as you type, see the hits. One file
// without any request to elsewhere; everything from documents is written as text, never as markup.

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tarsier</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  form { display: flex; gap: .5rem; flex-wrap: wrap; }
  input, select { font: inherit; padding: .4rem .6rem; }
  #query { flex: 1; min-width: 12rem; }
  #state { opacity: .7; }
  article { border: 1px solid #8886; border-radius: .5rem; padding: .5rem 1rem; margin: .75rem 0; }
  dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .1rem 1rem; margin: 0; }
  dt { opacity: .7; }
  dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; max-height: 8em; overflow: auto; }
</style>
</head>
<body>
<h1>Tarsier</h1>
<form id="form">
  <select id="index" aria-label="Index"></select>
  <input id="query" type="search" placeholder="Search" aria-label="Search" autocomplete="off" autofocus>
  <input id="key" type="password" placeholder="API key" aria-label="API key" autocomplete="off" hidden>
</form>
<p id="state" role="status"></p>
<main id="hits"></main>
<script>
  "use strict";
  const part = (id) => document.getElementById(id);
  let lastAsked = 0;

  async function ask(path, body) {
    const headers = {};
    if (part("key").value) headers.authorization = "Bearer " + part("key").value;
    if (body) headers["content-type"] = "application/json";
    const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(path, options);
    const answer = await response.json();
    if (response.status === 401 || response.status === 403) part("key").hidden = false;
    if (!response.ok) throw new Error(answer.message);
    return answer;
  }

  async function listIndexes() {
    const { results } = await ask("indexes?limit=1000");
    part("index").replaceChildren(...results.map(({ uid }) => new Option(uid, uid)));
    if (results.length === 0) part("state").textContent = "No index yet: add documents first.";
    else await search();
  }

  async function search() {
    const asked = ++lastAsked;
    const path = "indexes/" + encodeURIComponent(part("index").value) + "/search";
    const answer = await ask(path, { q: part("query").value });
    if (asked !== lastAsked) return;
    part("state").textContent = answer.estimatedTotalHits + " hits in " + answer.processingTimeMs + " ms";
    part("hits").replaceChildren(...answer.hits.map(card));
  }

  function card(hit) {
    const list = document.createElement("dl");
    for (const [name, value] of Object.entries(hit)) {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = typeof value === "string" ? value : JSON.stringify(value);
      list.append(term, text);
    }
    const article = document.createElement("article");
    article.append(list);
    return article;
  }

  const shown = (action) => action().catch((error) => { part("state").textContent = error.message; });
  part("form").addEventListener("submit", (event) => event.preventDefault());
  part("query").addEventListener("input", () => shown(search));
  part("index").addEventListener("change", () => shown(search));
  part("key").addEventListener("change", () => shown(listIndexes));
  shown(listIndexes);
</script>
</body>
</html>
`;
