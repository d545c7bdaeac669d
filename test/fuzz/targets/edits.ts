// Functions that edit documents: the translation of their source leaves JavaScript alone, and whatever comes
// out of it runs inside the bounds of the sandbox or is refused.
import assert from "node:assert/strict";
import { EditFailure } from "../../../src/engine/edit/editfunction.ts";
import { translated } from "../../../src/engine/edit/translation.ts";
import { EditThread } from "../../../src/engine/editthread.ts";
import type { Target } from "../fuzzing.ts";
import { changedText, type Grammar, grown } from "../making.ts";

const source: Grammar = {
  start: ["<line>", "<line>;\n<start>", "<line>\n<start>"],
  line: [
    "doc.a = <value>",
    "doc = <value>",
    "doc.remove('a')",
    "doc.b += <value>",
    "let x = <value>",
    "if <value> { <line> }",
    "if (<value>) { <line> } else { <line> }",
    "while <value> { <line>; break }",
    "for (const k of [1, 2]) { <line> }",
    "// <line>",
    "/* <line> */",
    "function f(y) { return <value> }",
    "doc.a = `t ${<value>} u`",
    "return",
    "throw <value>",
    "doc[<value>] = 1",
    "delete doc.a",
    "for k in doc.keys() { <line> }",
    "fn g(z) { z }",
    "doc.name.trim()",
    "doc.tags += [<value>]",
    "for (t, i) in doc.tags { <line> }",
    "loop { <line>; break }",
    "for i in 0..<value> { <line>; break }",
    "do { <line> } while <value>",
  ],
  value: [
    "1",
    "()",
    "#{}",
    "#{a: 1, b: ()}",
    "[]",
    "[<value>, 2]",
    "doc.name",
    "doc.size.h > 1",
    "'s\\'t'",
    '"d"',
    "doc.name.len()",
    "context.x",
    "/re[/]x/g.test(doc.name)",
    "(<value>)",
    "{ a: 1 }",
    "() => 1",
    "!<value>",
    "<value> + <value>",
    "<value> == ()",
    "doc.tags.contains('a')",
    "null",
    "undefined",
    "NaN",
    "x",
    "doc",
    "globalThis",
    "this.constructor",
    "'x'.repeat(99999999)",
    "<value> in <value>",
    "doc.tags[-1]",
    "if <value> { <value> } else { <value> }",
    "doc.tags.map(|t| <value>)",
    "range(0, <value>)",
    "[1].concat(doc.tags)",
    "JSON.stringify(doc)",
  ],
};
const PARTS = [
  "()",
  "#{",
  "}",
  "{",
  "`",
  "${",
  "'",
  '"',
  "/",
  "/*",
  "*/",
  "//",
  "\\",
  "if ",
  "while ",
  ";",
  "=>",
  "\n",
  "while(1);",
  "doc.doc=doc;",
  "for(;;)doc.a=[doc.a];",
  "(function f(){f()})();",
];
const DOCUMENTS = ['{"id":1,"name":"Rysy","tags":["a","b"],"size":{"h":2501}}', '{"id":2,"__proto__":1}'];
/** Each function that takes longer costs a new thread. */
const EDIT_MS_MAX = 100;
/** That time, and a new thread. */
const MS_PER_KB_MAX = 2000;

export const editTargets: Target[] = [
  {
    name: "edit-function",
    slice: 40,
    msPerKbMax: MS_PER_KB_MAX,
    async open() {
      return {
        make(random) {
          const text = grown(random, source);
          return random.chance(0.4) ? changedText(random, text, PARTS) : text;
        },
        async take(input) {
          const text = String(input);
          assert.equal(typeof translated(text), "string");
          return runs(text);
        },
      };
    },
  },
];

async function runs(text: string): Promise<boolean> {
  const never = new AbortController().signal;
  let edit: EditThread | null = null;
  try {
    edit = await EditThread.open(text, { x: 1 }, never, EDIT_MS_MAX);
    const edits = await edit.run(DOCUMENTS, never);
    assert.equal(edits.length, DOCUMENTS.length);
    return true;
  } catch (error) {
    if (error instanceof EditFailure) return false;
    throw error;
  } finally {
    edit?.close();
  }
}
