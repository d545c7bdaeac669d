// The words by which Chinese and Thai texts are cut: writes words/chinese.words and words/thai.words, which
// src/core/wordtrie.ts describes and reads, from the lists that words/README.md names. Uses the segmenter of
// a build.
//   node tools/words.mjs JIEBA_DICT WORDS_TH
import { readFileSync, writeFileSync } from "node:fs";
import { cutChinese, shortWords, weightOf } from "../build/src/core/chinesewords.js";
import { WordTrie } from "../build/src/core/wordtrie.js";
import { trieOf } from "./wordtrie.mjs";

/** Longer Chinese words are mostly cut into shorter ones. */
const CHINESE_LENGTH_MAX = 3;
/** The dictionary has no words with other characters. */
const BASIC = /^[\0-\ud7ff\ue000-\uffff]+$/;
const THAI = /^[\u0e00-\u0e7f]+$/;

const [, , jieba, thai] = process.argv;
write("chinese.words", chineseWords(linesOf(jieba)));
write(
  "thai.words",
  new Map(
    linesOf(thai)
      .filter((word) => THAI.test(word))
      .map((word) => [word, 1]),
  ),
);

function linesOf(path) {
  const text = readFileSync(path, "utf8").replace(/^\ufeff/, "");
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

function write(name, words) {
  writeFileSync(new URL(`../words/${name}`, import.meta.url), trieOf(words));
  console.log(`${name}: ${words.size} words`);
}

/**
 * Word -> weight. A long word stays only if without it its text would be cut differently: that is one in
 * nine, and texts are cut almost the same.
 */
function chineseWords(lines) {
  const entries = lines.map((line) => line.split(" ")).filter(([word]) => BASIC.test(word));
  const words = new Map();
  const keep = ([word, frequency]) => words.set(word, weightOf(Number(frequency)));
  for (const entry of entries) if (entry[0].length <= CHINESE_LENGTH_MAX) keep(entry);
  const short = new WordTrie(trieOf(words));
  const isNeeded = ([word]) => shortWords(short, word).join(" ") !== cutChinese(short, word).join(" ");
  for (const entry of entries) if (entry[0].length > CHINESE_LENGTH_MAX && isNeeded(entry)) keep(entry);
  return words;
}
