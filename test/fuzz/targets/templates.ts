// Templates of embedders: Liquid over a document, and the JSON of requests and answers with placeholders.
import assert from "node:assert/strict";
import { extractVectors } from "../../../src/embedders/extraction.ts";
import { fillTemplate, JsonTemplateMistake, parseJsonTemplate } from "../../../src/embedders/jsontemplate.ts";
import { FragmentPrompts, TextPrompts } from "../../../src/embedders/prompts.ts";
import type { Random } from "../../crash/random.ts";
import { isAccepted, type Subject, type Target } from "../fuzzing.ts";
import { anyValue, changedText, type Grammar, grown } from "../making.ts";

const liquid: Grammar = {
  start: ["<part>", "<part>", "<part><start>", "text <start>"],
  part: [
    "{{ <value> }}",
    "{{ <value> | <filter> }}",
    "{{ <value> | <filter> | <filter> }}",
    "{{- <value> -}}",
    "{% if <value> <sign> <value> %}<part>{% elsif <value> %}b{% else %}c{% endif %}",
    "{% for x in <value> <loop> %}{{ x }}<part>{% endfor %}",
    "{% unless <value> %}<part>{% endunless %}",
    "{% assign y = <value> | <filter> %}{{ y }}",
    "{% capture z %}<part>{% endcapture %}{{ z }}",
    "{% case <value> %}{% when 1, 'a' %}<part>{% else %}d{% endcase %}",
    "{% comment %}<part>{% endcomment %}",
    "{% raw %}{{ <part>{% endraw %}",
    "{% cycle 'a', 'b' %}",
    "{% increment n %}",
    "{% break %}",
    "{% tablerow r in <value> cols:2 %}{{ r }}{% endtablerow %}",
    "{% include 'x' %}",
    "{% liquid echo doc.id %}",
    "{% ifchanged %}<part>{% endifchanged %}",
  ],
  value: [
    "1",
    "doc.name",
    "doc.list",
    "doc.list[0]",
    "doc.map.a",
    "doc['map']['b'].c",
    "doc.none",
    "doc.ghost",
    "'text'",
    "nil",
    "true",
    "empty",
    "blank",
    "(1..3)",
    "(1..99999999)",
    "fields",
    "forloop.index",
    "-1.5",
    "doc.__proto__",
    "doc.constructor.constructor",
    "doc.list.size",
    "doc.name.first",
    "doc[doc.name]",
    "y",
    "z",
  ],
  filter: [
    "upcase",
    "size",
    "default: 'x'",
    "append: doc.name",
    "replace: 'e', '<value>'",
    "split: ''",
    "join: ','",
    "truncate: 3",
    "slice: -2, 9",
    "date: '%Y'",
    "times: 99999",
    "divided_by: 0",
    "map: 'a'",
    "where: 'a', 1",
    "sort",
    "reverse",
    "uniq",
    "escape",
    "strip_html",
    "url_encode",
    "json",
    "concat: doc.list",
    "ghost",
    "round",
    "truncatewords: 2",
    "newline_to_br",
    "sum",
    "first",
    "last",
    "compact",
    "remove: ''",
    "pad_left: 999999",
    "modulo: <value>",
    "plus: <value>",
    "sort: 'a'",
    "sort_natural: <value>",
    "compact: 'a'",
    "capitalize",
    "escape_once",
  ],
  sign: ["==", "!=", "<>", ">", "<", "<=", "contains", "and", "or"],
  loop: ["", "limit:2", "offset:1", "reversed", "limit:<value>"],
};
const LIQUID_PARTS = [
  "{{",
  "}}",
  "{%",
  "%}",
  "{%-",
  "|",
  ":",
  ".",
  "[",
  "]",
  "'",
  '"',
  "..",
  "(",
  "endfor",
  "endif",
];

/** Ranges of so many elements are within the bounds and take the time that they take. */
const LONG_RANGE = /(?<!\d)\d{4,8}(?!\d)/g;
const REFUSED_RANGE = "99999999";

const FIELDS = {
  id: 7,
  name: "Fern",
  none: null,
  yes: true,
  list: [1, [2, null], "b"],
  map: { a: 1, b: { c: "d" } },
  ...JSON.parse('{"__proto__": "own", "constructor": 3}'),
};

export const templateTargets: Target[] = [
  { name: "liquid", slice: 150, open: liquidTemplate },
  { name: "json-template", slice: 150, open: jsonTemplate },
];

function liquidTemplate(): Subject {
  return {
    make(random) {
      const text = grown(random, liquid);
      const changed = random.chance(0.4) ? changedText(random, text, LIQUID_PARTS) : text;
      return changed.replace(LONG_RANGE, REFUSED_RANGE);
    },
    take: (input) =>
      isAccepted(() => {
        const settings = { source: "rest" as const, documentTemplate: String(input) };
        const document = { id: "7", fields: FIELDS, isSearchable: (name: string) => name !== "id" };
        const prompts = new TextPrompts("e", { ...settings, documentTemplateMaxBytes: 400 });
        for (const { text } of prompts.of(document)) assert.ok(Buffer.byteLength(text) <= 400);
        new FragmentPrompts("e", { f: { value: { text: [String(input)] } } }).of(document);
      }),
  };
}

const MARKS = ["{{text}}", "{{embedding}}", "{{..}}", "input", "a", "{{fragment}}"];

function jsonTemplate(): Subject {
  return {
    make: (random) => JSON.stringify([template(random, "{{text}}"), template(random, "{{embedding}}")]),
    take(input) {
      const [request, response] = JSON.parse(String(input)) as unknown[];
      try {
        const filled = fillTemplate(parseJsonTemplate("request", request, "{{text}}"), ["x", "y"]);
        assert.ok(JSON.stringify(filled).includes('"x"'));
        const answer = parseJsonTemplate("response", response, "{{embedding}}");
        const vectors = [[1, 2]];
        const found = extractVectors(answer, fillTemplate(answer, vectors), 1);
        assert.deepEqual(
          found,
          vectors.map((vector) => Float32Array.from(vector)),
        );
        return true;
      } catch (error) {
        if (error instanceof JsonTemplateMistake) return false;
        throw error;
      }
    },
  };
}

/** Any JSON, with the placeholder somewhere most of the time. */
function template(random: Random, placeholder: string): unknown {
  const value = anyValue(random, MARKS);
  const inner = random.of<unknown>([placeholder, [placeholder], [{ v: placeholder }, "{{..}}"], value]);
  return random.of<unknown>([inner, { a: inner }, { a: [1, { b: inner }], c: value }, value]);
}
