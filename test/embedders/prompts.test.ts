// What documents and queries become before they are embedded: templates see documents, and are strict.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { DOCUMENT_TEMPLATE_DEFAULT } from "../../src/embedders/defaults.ts";
import {
  checkDocumentTemplate,
  FragmentPrompts,
  QueryFragments,
  TextPrompts,
} from "../../src/embedders/prompts.ts";

const DOCUMENT = {
  id: 7,
  name: "Fern",
  none: null,
  yes: true,
  list: [1, [2, null]],
  map: { a: 1, b: { c: "d" } },
  _vectors: { e: [1] },
  _geo: { lat: 1, lng: 2 },
};

function render(documentTemplate: string, fields: object = DOCUMENT, documentTemplateMaxBytes = 400): string {
  const prompts = new TextPrompts("e", { source: "rest", documentTemplate, documentTemplateMaxBytes });
  const [{ text }] = prompts.of({ id: "7", fields: { ...fields }, isSearchable: (name) => name !== "id" });
  return text;
}

describe("a document template", () => {
  const rendered: [template: string, text: string][] = [
    ["{{ doc.name }} {{doc.name | upcase}}", "Fern FERN"],
    ["[{{ doc.none }}{{ doc.yes }}{{ doc.list }}{{ doc.map }}]", "[true12a1bcd]"],
    ["{% if doc.ghost %}a{% else %}b{% endif %}{% unless doc.ghost.deep %}c{% endunless %}", "bc"],
    ["{% if doc.ghost or doc.name == 'Fern' %}a{% endif %}{% if doc.ghost and doc.name %}b{% endif %}", "a"],
    ["{% if doc.none.deep %}a{% else %}b{% endif %}{% if doc.none == nil %}c{% endif %}", "bc"],
    [
      "{% for f in fields %}{{ f.name }}={{ f.is_searchable }} {% endfor %}",
      "id=false name=true none=true yes=true list=true map=true ",
    ],
    ["{% for pair in doc.map %}{{ pair[0] }}:{{ pair[1] }};{% endfor %}", "a:1;b:cd;"],
    ["{{ doc.list.size }}{{ doc.list.first }}{{ doc.list[1][0] }}", "212"],
    ["{% assign x = doc.name %}{% capture y %}<{{ x }}>{% endcapture %}{{ y }}", "<Fern>"],
  ];
  for (const [template, text] of rendered) {
    test(`renders ${template}`, () => equal(render(template), text));
  }

  const failing: [template: string, message: RegExp][] = [
    ["{{ doc.ghost }}", /Document `7`.*`ghost` is missing; known here: `id`, `name`/],
    ["{{ doc.ghost | default: 'x' }}", /`ghost` is missing/],
    ["{{ doc.ghost | size }}", /`ghost` is missing/],
    ["{% if doc.ghost == 1 %}{% endif %}", /`ghost` is missing/],
    ["{% for x in doc.ghost %}{% endfor %}", /`ghost` is missing/],
    ["{{ doc.none.deep }}", /`deep` is missing/],
    ["{{ doc._vectors }}", /`_vectors` is missing/],
    ["{{ doc._geo }}", /`_geo` is missing/],
    ["{{ ghost }}", /`ghost` is missing; known here: `doc`, `fields`/],
    ["{{ doc.name.length }}{{ doc.list.length }}", /`length` is missing/],
    ["{{ doc.constructor }}", /`constructor` is missing/],
    ["{{ doc.toString }}", /`toString` is missing/],
    ["{{ doc.__proto__ }}", /`__proto__` is missing/],
    ["{% for i in (1..1000000000) %}{% endfor %}", /memory/],
  ];
  for (const [template, message] of failing) {
    test(`refuses a document for ${template}`, () => {
      throws(() => render(template), { code: "invalid_document_fields", message });
    });
  }

  for (const template of [
    "{{ doc.name",
    "{% if doc.x %}",
    "{{ doc.name | ghost }}",
    "{% include 'x' %}",
    "{% render 'x' %}",
    "{% layout 'x' %}",
    "{% ghost %}",
  ]) {
    test(`cannot be ${template}`, () => {
      throws(() => render(template), { code: "invalid_settings_embedders" });
    });
  }

  test("is by default a line for each searchable field that is not null", () => {
    const prompts = new TextPrompts("e", { source: "openAi" });
    const isSearchable = (name: string) => name !== "id";
    const [{ text, fragment }] = prompts.of({ id: "7", fields: DOCUMENT, isSearchable });
    equal(text, "name: Fern\nyes: true\nlist: 12\nmap: a1bcd\n");
    equal(fragment, null);
  });

  test("is rendered the same way whether it is the default by name or by nature", () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(fields, fc.integer({ min: 1, max: 200 }), (fields, bytesMax) => {
        // A comment makes it another template with the same result.
        const same = `${DOCUMENT_TEMPLATE_DEFAULT}{% comment %}{% endcomment %}`;
        equal(render(DOCUMENT_TEMPLATE_DEFAULT, fields, bytesMax), render(same, fields, bytesMax));
      }),
    );
  });

  test("gives a text of at most so many bytes, of whole characters", () => {
    equal(render("{{ doc.t }}", { t: "aé€😀" }, 9), "aé€");
    equal(render("{{ doc.t }}", { t: "aé€😀" }, 10), "aé€😀");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (t, bytesMax) => {
        const text = render("{{ doc.t }}", { t }, bytesMax);
        const next = [...t.slice(text.length)][0] ?? "";
        ok(t.startsWith(text) && Buffer.byteLength(text) <= bytesMax);
        ok(text === t || Buffer.byteLength(text + next) > bytesMax);
      }),
    );
  });

  test("shows fields whatever they are called, and any JSON in them", () => {
    equal(render("{{ doc['__proto__'] }}", JSON.parse('{"__proto__": "x"}')), "x");
    equal(render("{{ doc.v }}", { v: { toString: 1, valueOf: { size: 2 } } }), "toString1valueOfsize2");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        equal(render("{{ doc.v }}", { v: value }, 1_000_000), written(value));
      }),
    );
  });

  test("refuses what is nested too deep for it", () => {
    const fields = { v: JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) };
    throws(() => render("x", fields), { code: "invalid_document_fields", message: /deeper/ });
  });
});

describe("indexing fragments", () => {
  const value = (text: unknown) => ({ value: text });
  const prompts = new FragmentPrompts("e", {
    title: value({ kind: "text", parts: [{ text: "{{ doc.name }}" }, 1, null] }),
    cover: value("{{ doc.cover }}"),
    fixed: value(["x"]),
    removed: null,
  });
  const of = (fields: object) => prompts.of({ id: "1", fields: { ...fields }, isSearchable: () => true });

  test("are rendered in the order of their names, without those whose variables are missing", () => {
    deepEqual(of({ name: "n" }), [
      { fragment: "fixed", text: '["x"]' },
      { fragment: "title", text: '{"kind":"text","parts":[{"text":"n"},1,null]}' },
    ]);
    deepEqual(
      of({ cover: null }).map(({ fragment, text }) => [fragment, text]),
      [
        ["cover", '""'],
        ["fixed", '["x"]'],
      ],
    );
  });

  test("with a mistake are refused with their name", () => {
    throws(() => new FragmentPrompts("e", { bad: value({ a: ["{{ doc.a"] }) }), {
      code: "vector_embedding_error",
      message: /indexingFragments\.bad/,
    });
  });
});

describe("search fragments", () => {
  const fragments = new QueryFragments("e", {
    words: { value: { text: "{{ q }}" } },
    image: { value: { image: "data:{{ media.image.mime }};base64,{{ media.image.data }}" } },
  });
  const refused = (query: object, message: RegExp) =>
    throws(() => fragments.of(query), { code: "vector_embedding_error", message });

  test("one must fit the query", () => {
    equal(fragments.of({ q: " a " }), '{"text":" a "}');
    const media = { image: { mime: "image/png", data: "AA==" } };
    equal(fragments.of({ media }), '{"image":"data:image/png;base64,AA=="}');
    equal(fragments.of({ q: null, media }), '{"image":"data:image/png;base64,AA=="}');
  });

  test("take as long as one text may, however many texts they hold", { timeout: 20_000 }, () => {
    const slow = "{% for i in (1..400000) %}{% assign a = i %}{% endfor %}{{ q }}";
    const many = new QueryFragments("e", { slow: { value: new Array(100).fill(slow) } });
    // All hundred would be out of time.
    throws(() => many.of({ q: "a" }), { code: "vector_embedding_error", message: /no search fragment/ });
  });

  test("none or two that fit refuse the query", () => {
    refused({}, /nothing matches no search fragment/);
    refused({ media: { image: { mime: "x" } } }, /`media` an object: `{"image":{"mime":"x"}}` matches no/);
    refused(
      { q: "a", media: { image: { mime: "x", data: "y" } } },
      /several search fragments.*`image`, `words`/,
    );
  });
});

/** How a template writes a value. */
function written(value: unknown): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(written).join("");
  if (typeof value === "number") return decimal(value);
  if (typeof value !== "object") return String(value);
  return Object.entries(value as object)
    .map(([key, inner]) => key + written(inner))
    .join("");
}

describe("the names in a document template are looked at before any document is there", () => {
  const accepted = [
    "{{ doc.title }} {{ doc.a.b[0].c | upcase | truncatewords: 3 }} {{ doc.price | plus: 1 }}{{ doc }}",
    "{% if title %}{{ title }}{% elsif doc.title == nil %}{{ doc.title }}{% endif %}",
    "{% if doc.title or title == 'a' %}{% endif %}{% unless doc.title %}{{ title }}{% endunless %}",
    "{% for f in fields %}{{ f.name }}: {{ f.value }}{{ forloop.index }}{% endfor %}{{ fields[0].value }}",
    "{% for tag in doc.tags %}{% assign last = tag %}{{ tag.name }}{% endfor %}{{ last }}",
    "{% assign a = doc.list | split: ',' %}{{ a.first }}",
    "{% increment n %}{{ n }}{% capture c %}{% endcapture %}{{ c }}",
    "{% for i in (1..doc.count) %}{{ i }}{% endfor %}{% case doc.kind %}{% when 'a' %}{{ b }}{% endcase %}",
    "{% ifchanged %}{% assign x = 1 %}{% endifchanged %}{{ x }}",
    "{% tablerow r in doc.rows %}{{ r }}{% endtablerow %}{% cycle 'a', 'b' %}",
    DOCUMENT_TEMPLATE_DEFAULT,
  ];
  for (const template of accepted) test(`accepts ${template}`, () => checkDocumentTemplate("e", template));

  const refused = [
    "{{ title }}",
    "{{ doc.a }}{{ title.deep | upcase }}",
    "{% for f in fields %}{{ field.name }}{% endfor %}",
    "{% for x in list %}{% endfor %}",
    "{% for f in fields %}{% if f.is_searchable %}{{ title }}{% endif %}{% endfor %}",
    "{% if title == 'a' %}{% endif %}",
    "{% assign x = title %}",
    "{{ doc[key] }}",
    "{{ doc.a",
  ];
  for (const template of refused) {
    test(`refuses ${template}`, () => {
      throws(() => checkDocumentTemplate("e", template), {
        code: "invalid_settings_embedders",
        message: /`\.embedders\.e\.documentTemplate`.*mistake/,
      });
    });
  }
});
