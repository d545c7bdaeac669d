// Templates that are brought along from the peer give the same texts: its conditions, tags and filters.
import { equal, ok, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import { decimal as decimalOf } from "../../src/core/decimal.ts";
import { LiquidTemplate } from "../../src/embedders/liquid.ts";
import { visibleObject } from "../../src/embedders/scope.ts";
import { TemplateFailure } from "../../src/embedders/written.ts";

const doc = {
  name: "MiXed case",
  none: null,
  yes: true,
  no: false,
  list: ["b", null, "a"],
  word: "é€",
  big: 2n ** 60n + 1n,
  bigs: [2n ** 60n + 1n],
  wide: ["\u{1f600}", "\uff5e"],
  ten: "10",
  tiny: [1e-7, "x"],
  map: { a: 1, b: 2 },
  items: [{ n: 2, t: "B" }, { n: null, t: "a" }, { t: "C", no: false }, { n: 1 }],
};
const render = (template: string) =>
  new LiquidTemplate(template).render(
    visibleObject(Object.entries({ doc: visibleObject(Object.entries(doc)) })),
  );
const names = (chain: string) =>
  `{% assign l = doc.items | ${chain} %}{% for i in l %}{% if i.n %}{{ i.n }}{% endif %},{% endfor %}`;
const asked = (condition: string) => `{% if ${condition} %}y{% else %}n{% endif %}`;

describe("a condition", () => {
  const cases: [condition: string, answer: string][] = [
    ["doc.no and doc.ghost == 1", "n"],
    ["doc.yes or doc.ghost == 1", "y"],
    ["doc.ghost and doc.ghost.deep == 1", "n"],
    ["doc.no and doc.no or doc.yes", "y"],
    ["doc.yes or doc.no and doc.no", "y"],
    ["doc.no and doc.yes or doc.yes and doc.ten == '10'", "y"],
    ["doc.no or doc.no and doc.yes or doc.no", "n"],
    ["not doc.ghost and doc.yes", "y"],
    ["doc.ten <> '10'", "n"],
    ["doc.ten <> '11' and 1 <> 2", "y"],
    ["doc.map contains 'a'", "y"],
    ["doc.map contains 'size'", "n"],
    ["doc.map contains doc.list", "n"],
    ["doc.list contains 'a'", "y"],
    ["doc.name contains 'Xed'", "y"],
    ["doc.big contains 15", "y"],
    ["doc.none contains 'a'", "n"],
    ["doc.none < 5", "n"],
    ["doc.ten > 5", "n"],
    ["'' <= 0 or doc.list > 0 or doc.no < 1", "n"],
    ["doc.map.b <= 2 and 'a' <= 'a' and doc.no <= doc.no", "y"],
    ["doc.ten > '1' and doc.map.b >= 2 and doc.no < doc.yes and doc.wide[0] > doc.wide[1]", "y"],
  ];
  for (const [condition, answer] of cases) test(condition, () => equal(render(asked(condition)), answer));

  test("is asked by elsif and unless, too", () => {
    equal(render("{% if doc.no %}a{% elsif doc.yes or doc.ghost > 1 %}b{% endif %}"), "b");
    equal(render("{% unless doc.no and doc.ghost > 1 %}a{% endunless %}"), "a");
    equal(render("{% unless doc.yes %}a{% elsif doc.no or doc.yes and doc.yes %}b{% endunless %}"), "b");
  });

  for (const condition of [
    "doc.yes and doc.ghost == 1",
    "doc.no or doc.ghost == 1",
    "doc.ghost contains 'a'",
  ])
    test(`fails where it gets as far: ${condition}`, () => fails(asked(condition), /`ghost` is missing/));

  for (const condition of ["doc.yes and", "doc.a ==", "== 1", ""])
    test(`cannot be "${condition}"`, () => fails(asked(condition)));
});

describe("filters", () => {
  const cases: [template: string, text: string][] = [
    ["{{ doc.name | capitalize }}{{ 'ßa' | capitalize }}{{ '' | capitalize }}", "MiXed caseSSa"],
    [`{{ '<a> & "b"' | escape }}{{ "it's" | escape }}`, "&lt;a&gt; &amp; &quot;b&quot;it&#39;s"],
    [`{{ '&lt; & "' | escape_once }}`, "&lt; &amp; &quot;"],
    ["{{ doc.word | size }} {{ doc.word.size }} {{ doc.list.size }} {{ doc.map | size }}", "5 5 3 2"],
    ["{{ 1234 | size }}{{ doc.none | size }}", "40"],
    ["{{ 'a b c' | truncatewords: 0 }}{{ 'a b c' | truncatewords: 2, '!' }}", "...a b!"],
    ["{{ 'a b' | truncatewords: 2 }}{{ 'a b' | truncatewords: -1 }}{{ 'a b' | truncatewords }}", "a ba ba b"],
    ["{{ 7 | divided_by: 2 }} {{ -7 | divided_by: 2 }} {{ 7 | divided_by: 2.0 }}", "3 -3 3.5"],
    ["{{ 7.5 | divided_by: 2 }} {{ doc.ten | divided_by: 4 }} {{ '2.5' | times: 2 }}", "3.75 2 5"],
    ["{{ -7 | modulo: 3 }} {{ 7 | modulo: -3 }} {{ 7.5 | modulo: 2 }}", "-1 1 1.5"],
    ["{{ doc.big }} {{ doc.big.size }} {{ doc.bigs }}", "1152921504606846977 19 1152921504606846977"],
    ["{{ doc.bigs | join: '-' }}{% if doc.big.valueOf %}y{% endif %}", "1152921504606846977"],
    [
      "{{ doc.big | minus: 1 }} {{ '99999999999999999999' | plus: 1 }}",
      `${decimalOf(2 ** 60)} 1${"0".repeat(20)}`,
    ],
    [
      "{{ 7 | divided_by: doc.map.b }}{% assign k = 2 %} {{ 7 | divided_by: k }} {{ 9 | modulo: doc.map.b }}",
      "3 3 1",
    ],
    ["{{ doc.list | sort_natural }}{{ doc.wide | sort }}", "ab\uff5e\u{1f600}"],
    ["{{ doc.items | map: 't' | join: '' }}[{{ doc.items | map: 'n' | size }}]", "BaC[3]"],
    ["{{ doc.list | map: 'x' }}", ""],
    ["{{ doc.items | where: 't' | size }}{{ doc.items | where: 'no' | size }}", "30"],
    ["{{ doc.items | where: 'n', 1 | size }}{{ doc.items | where: 'n', nil | size }}", "11"],
    ["[{{ doc.list | where: 'a' }}]{{ doc.map | where: 'a', 1 }}", "[]a1b2"],
    [names("sort: 'n'"), "1,2,,,"],
    ["{{ doc.items | sort_natural: 't' | map: 't' }}{{ doc.list | sort }}{{ doc.none | sort }}", "aBCab"],
    ["{{ doc.list | compact | size }}{{ doc.items | compact: 'n' | size }}", "22"],
    ["{{ 'a,b,,c,' | split: ',' | join: '-' }} {{ '' | split: ',' | size }}", "a-b--c- 0"],
    ["{{ '\u{1f600}b' | split: '' | join: '-' }}", "\u{1f600}-b"],
    [
      "{{ 7 | first }}{{ doc.yes | last }}{{ '\u{1f600}b' | first }}{{ 'a\u{1f600}' | last }}",
      "7e\u{1f600}\u{1f600}",
    ],
    ["{{ 'a\n' | last }}{{ doc.list | last }}", "\na"],
    ['{{ "~\'!*" | url_encode }}', "%7E%27%21%2A"],
    ["{{ 'Ab c(d)' | url_encode }}[{{ doc.none | url_encode }}]", "Ab%20c%28d%29[]"],
    ["{{ '100% wool%20%C3%A9+' | url_decode }}", "100% wool é "],
    ["{{ 'a<SCRIPT>x</Script><p\nid=1>b<!-- <i> --><STYLE>c</style>' | strip_html }}", "ab"],
    [
      "{{ doc.tiny | join: ' ' }} {{ doc.list | join: ',' }} {{ doc.name | join }}",
      "0.0000001 x b,,a MiXed case",
    ],
    ["{{ 'a\r\nb' | newline_to_br }}", "a\r<br />\nb"],
    [
      "{{ 'abcdef' | truncate: 5 }} {{ 'abcdef' | truncate: 6 }} {{ 'abcdef' | truncate: 5, '…' }}",
      "ab... abcdef ab…",
    ],
    ["{{ 'abcdef' | truncate: 2 }} {{ 'abc' | truncate: -1 }} {{ 'ééé' | truncate: 4 }}", "... abc é..."],
    ["{{ 'abe\u0301fgh' | truncate: 6 }}", "abe\u0301..."],
    ["{{ 'a<!-->b-->c' | strip_html }}{{ '\u0130\u0130<b>x</b>' | strip_html }}", "ac\u0130\u0130x"],
    ["{{ 'e\u0301\u{1f600}abcde' | truncate: 5 }}", "e\u0301\u{1f600}..."],
    ["{{ '-7.5' | abs }} {{ 2.1 | ceil }} {{ doc.ten | at_most: 9 }} {{ 2.456 | round: 2 }}", "7.5 3 9 2.46"],
  ];
  for (const [template, text] of cases)
    test(`give ${text} for ${template}`, () => equal(render(template), text));

  const failing = [
    "{{ 1 | divided_by: 0 }}",
    "{{ 1.5 | modulo: 0 }}",
    "{{ 'a' | plus: 1 }}",
    "{{ doc.none | times: 2 }}",
    "{{ doc.name | map: 'a' }}",
    "{{ doc.list | sort: 'a' }}",
    "{{ doc.list | compact: 'a' }}",
    "{{ doc.none | compact }}",
    "{{ 5 | where: 'a' }}",
    "{{ doc.ghost | map: 'a' }}",
    "{{ doc.none | round }}",
    "{{ '%E9' | url_decode }}",
    "{{ doc.name | abs }}",
    "{{ doc.list | at_least: 1 }}",
    "{{ 1 | at_most: nil }}",
    "{{ 1 | at_least: nil }}",
  ];
  for (const template of failing) test(`fail for ${template}`, () => fails(template));
});

test("integers beyond 2^53 are numbers to every filter and comparison", () => {
  for (const filter of ["abs", "ceil", "floor", "round", "at_least: 1", "at_most: 1", "json", "date: '%Y'"])
    render(`{{ doc.big | ${filter} }}{{ 1 | ${filter.replace("1", "doc.big")} }}`);
  equal(render("{{ doc.bigs | sum }} {{ doc.bigs | sort | size }}"), `${decimalOf(2 ** 60)} 1`);
  equal(render(asked("doc.big == 1152921504606846977 and doc.big > 5")), "y");
  equal(render("{% case doc.big %}{% when 1152921504606846977 %}y{% endcase %}"), "y");
  equal(render("{% for i in doc.list limit: doc.big %}{{ i }}{% endfor %}"), "ba");
});

test("what would fill the memory or never end is refused", () => {
  const long = `{% assign l = doc.list %}{% for i in (1..14) %}{% assign l = l | concat: l %}{% endfor %}`;
  const heavy = { ...doc, list: ["A".repeat(1e6)] };
  const variables = visibleObject(Object.entries({ doc: visibleObject(Object.entries(heavy)) }));
  const template = new LiquidTemplate(`${long}{{ l | sort_natural | size }}`);
  throws(() => template.render(variables), TemplateFailure);
  throws(
    () =>
      new LiquidTemplate("{% assign x = l | join: s %}").render({
        l: "a".repeat(9e3).split(""),
        s: "b".repeat(9e3),
      }),
    TemplateFailure,
  );
  fails(`{% if ${"1 and ".repeat(40_000)}1 %}{% endif %}`);
  fails(`{% if ${"1 and ".repeat(600)}1 %}{% endif %}`, /parts/);
  throws(
    () => new LiquidTemplate("{% for i in (1..100000000) %}{% endfor %}").render({}, 10),
    TemplateFailure,
  );
});

test("filters take time in proportion to the text", () => {
  const texts = ["<script", "<style>", "<!--", "<", ":00", "{%- ", "%"].map((part) => part.repeat(2e5));
  // What has no year is not taken for a date.
  texts.push(`2024${":00".repeat(2e5)}`);
  const variables = visibleObject(Object.entries({ texts }));
  for (const filter of ["strip_html", "url_decode", "date: '%Y'", "truncate: 9", "truncatewords: 9"]) {
    const begin = performance.now();
    new LiquidTemplate(`{% for t in texts %}{{ t | ${filter} | size }}{% endfor %}`).render(variables);
    ok(performance.now() - begin < 5000, filter);
  }
});

describe("dates", () => {
  const cases: [template: string, text: string][] = [
    ["{{ '2024-02-29' | date: '%Y-%m-%d %H:%M %z' }}", "2024-02-29 00:00 +0000"],
    ["{{ '2024-02-29 13:05:09' | date: '%d %H:%M %z' }}", "29 13:05 +0000"],
    ["{{ '2024-02-29T23:05:09' | date: '%d %H:%M %z' }}", "29 23:05 +0000"],
    ["{{ '2024-02-29T13:05:09Z' | date: '%A %e %B, %H:%M' }}", "Thursday 29 February, 13:05"],
    ["{{ '2024-02-29 13:05:09 +0530' | date: '%H:%M %z' }}", "13:05 +0530"],
    ["{{ '2024-02-29T00:05:09-05:00' | date: '%d %H:%M %z' }}", "29 00:05 -0500"],
    ["{{ '2024-02-29T23:05:09' | date: '%d %H:%M %z', -60 }}", "01 00:05 +0100"],
    ["{{ '1 March 2024 10:00:00' | date: '%F %R' }}", "2024-03-01 10:00"],
    [
      "{{ '2024-03-01 10:00:00' | date: '%T %D %v %%F %c' }}",
      "10:00:00 03/01/24  1-MAR-2024 %F Fri Mar  1 10:00:00 2024",
    ],
    ["{{ '02/29/2024 10:00:00' | date: '%F %R' }}", "2024-02-29 10:00"],
    ["{{ 'Thu Feb 29 10:00:00 2024' | date: '%F %R' }}", "2024-02-29 10:00"],
    ["{{ 1709164800 | date: '%F %R' }} {{ '1709164800' | date: '%F' }}", "2024-02-29 00:00 2024-02-29"],
    ["{{ doc.yes | date: '%Y' }}{{ doc.name | date: '%Y' }}{{ doc.list | date: '%Y' }}", "trueMiXed caseba"],
    ["{{ '2024-02-29' | date: '' }}[{{ doc.none | date: '%Y' }}]", "2024-02-29[]"],
    ["{{ ' now ' | date: 'x' }}{{ 'Today' | date: 'y' }}", "xy"],
    ["{{ '2024-02-29 23:00:00' | date_to_xmlschema }}", "2024-02-29T23:00:00+00:00"],
  ];
  for (const zone of ["America/New_York", "Asia/Tokyo"]) {
    test(`are the same on a machine of ${zone}`, () => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        for (const [template, text] of cases) equal(render(template), text, template);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    });
  }
});

describe("tags", () => {
  test("case renders the first branch that fits, and looks no further", () => {
    equal(render("{% case 1 %}{% when 1 %}a{% when doc.ghost %}b{% when 1 %}c{% else %}d{% endcase %}"), "a");
    equal(render("{% case 2 %}{% when 1 %}a{% when 3 or 2 %}b{% endcase %}"), "b");
    equal(render("{% case doc.none %}{% when 1 %}a{% else %}d{% endcase %}"), "d");
    fails("{% case doc.ghost %}{% when 1 %}{% endcase %}", /`ghost` is missing/);
  });

  test("truncating cuts long texts between characters, in a time that grows with the text", () => {
    const characters = ["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "\u{1f1e9}\u{1f1ea}", "e\u0301", "a\r\n"];
    const long = visibleObject(characters.map((character, place) => [`c${place}`, character.repeat(30_000)]));
    const start = performance.now();
    for (const [place, character] of characters.entries()) {
      const template = new LiquidTemplate(`{{ c${place} | truncate: 28000, "" }}`);
      const count = character.startsWith("a") ? 14_000 : 28_000;
      equal(template.render(long), character.repeat(count));
    }
    const marked = visibleObject([["c", `${`e${"\u0301".repeat(2_500)}`.repeat(3)}abc`]]);
    equal(
      new LiquidTemplate("{{ c | truncate: 2, '' }}").render(marked),
      `e${"\u0301".repeat(2_500)}`.repeat(2),
    );
    ok(performance.now() - start < 5_000);
  });

  test("raw takes the blanks away where hyphens say so", () => {
    equal(render("x {%- raw -%} {{ a }} {%- endraw -%} b"), "x{{ a }}b");
    equal(render("{% raw %} {% if {%- endraw %} b{% raw -%} c {% endraw -%} d"), " {% if bc d");
  });

  test("ifchanged leaves out what is the same as before", () => {
    const each = "{% for i in (1..6) %}{% ifchanged %}{{ i | divided_by: 2 }},{% endifchanged %}{% endfor %}";
    equal(render(each), "0,1,2,3,");
    fails("{% ifchanged %}a");
  });

  test("assign fails for a variable that is missing, though nobody uses the new one", () => {
    fails("{% assign x = doc.ghost %}", /`ghost` is missing/);
    for (const end of ["first", "last"])
      equal(render(`{% assign x = '' | split: ',' | ${end} %}[{{ x }}]{% if x %}y{% endif %}`), "[]");
    equal(render("{% assign x = doc.none %}{% assign y = doc.map.a %}[{{ x }}{{ y }}]"), "[1]");
  });
});

function fails(template: string, message?: RegExp): void {
  throws(
    () => render(template),
    (error) => error instanceof TemplateFailure && (message?.test(error.message) ?? true),
  );
}
