// Twin of the tokenizer (assembly/tokenizer.ts): the same rules over strings, one after the other, without
// tables, tries or fast paths. Clear and slow.
import type { TokenizerSettings } from "../../src/core/patterns.ts";
import { Segmenter } from "../../src/core/segmenter.ts";
import type { Token, TokenKind } from "../../src/core/tokenizer.ts";
import {
  type Character,
  charactersOfUtf8,
  hardSeparators,
  nonSpacingMarks,
  scriptNames,
  scriptOf,
  softSeparators,
  variants,
} from "./tokenizer-characters.ts";

interface Run {
  characters: Character[];
  script: string;
  language: string | null;
  /** No locales speak against it. */
  mayBeChinese: boolean;
}

/** What the settings come to. */
interface Rules {
  separators: Set<string>;
  patterns: Set<string>;
  patternLengthMax: number;
  stopWords: Set<string>;
}

const CJ = new Set(["Hiragana", "Katakana", "Han"]);
const LOWERCASED = new Set(["Latin", "Cyrillic", "Greek", "Georgian", "Armenian"]);
const WITHOUT_MARKS = new Set(["Hebrew", "Thai", "Arabic", "Latin", "Greek"]);
const ALIASES: Record<string, string> = { zh: "cmn", zho: "cmn", ja: "jpn", sv: "swe", ar: "ara", fa: "pes" };
const CUT_LANGUAGES: Record<string, number> = { cmn: 1, jpn: 2, Thai: 3, Khmer: 4 };

const segmenter = new Segmenter();

/** All tokens of UTF-8 bytes. Lemmas are not cut, however long. */
export function tokenizeTwin(
  bytes: Uint8Array,
  settings: TokenizerSettings,
  locales?: readonly string[],
): Token[] {
  const rules = rulesOf(settings);
  return runsOf(charactersOfUtf8(bytes), locales).flatMap((run) => tokensOfRun(run, rules));
}

function rulesOf(settings: TokenizerSettings): Rules {
  const separators = new Set([...hardSeparators, ...softSeparators, ...(settings.separatorTokens ?? [])]);
  for (const text of settings.nonSeparatorTokens ?? []) separators.delete(text);
  const patterns = new Set([...separators, ...(settings.dictionary ?? [])]);
  patterns.delete("");
  return {
    separators,
    patterns,
    patternLengthMax: Math.max(...Array.from(patterns, (text) => Array.from(text).length)),
    stopWords: new Set((settings.stopWords ?? []).map((text) => persian(plainText(swedish(nfkd(text)))))),
  };
}

function runsOf(characters: Character[], locales?: readonly string[]): Run[] {
  const runs: Character[][] = [];
  let current = "Other";
  for (const character of characters) {
    const own = scriptOf(character.text);
    const script = CJ.has(own) ? "Cj" : own === "Armenian" ? "Other" : own;
    const starts = script !== "Other" && script !== current && current !== "Other";
    if (starts || runs.length === 0) runs.push([]);
    if (script !== "Other") current = script;
    runs[runs.length - 1].push(character);
  }
  return runs.map((run) => judge(run, locales));
}

/** Script by majority; language from it and the locales. */
function judge(characters: Character[], locales?: readonly string[]): Run {
  const votes = votesOf(characters);
  const most = Math.max(0, ...votes.values());
  const winner = rankedScripts(characters).find((script) => votes.get(script) === most) ?? "Other";
  const script = CJ.has(winner) ? "Cj" : winner;
  const list = new Set((locales ?? []).map((locale) => ALIASES[locale] ?? locale));
  const mayBeChinese = list.size === 0 || (list.size > 1 && list.has("cmn"));
  return { characters, script, language: languageOf(script, winner, votes, list), mayBeChinese };
}

function languageOf(script: string, winner: string, votes: Votes, list: Set<string>) {
  if (script !== "Latin" && script !== "Cj" && script !== "Arabic") return null;
  if (list.size === 1) return Array.from(list)[0];
  if (script === "Latin") return onlyOf(list, "Latn");
  if (script === "Arabic" && list.size > 0 && !list.has("ara") && !list.has("pes")) return null;
  if (script === "Arabic") return onlyOf(list, "Arab") === "pes" ? "pes" : "ara";
  if (winner !== "Han" || (list.size > 0 && !list.has("cmn"))) return "jpn";
  return chineseOrJapanese(votes);
}

/** The only language of a list that is written in a script. */
function onlyOf(list: Set<string>, script: string): string | null {
  const own = Array.from(list).filter((language) => new Intl.Locale(language).maximize().script === script);
  return own.length === 1 ? own[0] : null;
}

/** All scripts, each moved one place forward by every character of it: the order among equals. */
function rankedScripts(characters: Character[]): string[] {
  const ranked = [...scriptNames];
  for (const { text } of characters) {
    const place = ranked.indexOf(scriptOf(text));
    if (place > 0) ranked.splice(place - 1, 2, ranked[place], ranked[place - 1]);
  }
  return ranked;
}

type Votes = ReadonlyMap<string, number>;

function votesOf(characters: Character[]): Votes {
  const votes = new Map<string, number>();
  for (const { text } of characters) {
    const script = scriptOf(text);
    if (script !== "Other") votes.set(script, (votes.get(script) ?? 0) + 1);
  }
  return votes;
}

const hanOf = (votes: Votes): number => votes.get("Han") ?? 0;
const kanaOf = (votes: Votes): number => (votes.get("Hiragana") ?? 0) + (votes.get("Katakana") ?? 0);

const chineseOrJapanese = (votes: Votes): string =>
  kanaOf(votes) / (kanaOf(votes) + hanOf(votes)) > 0.05 ? "jpn" : "cmn";

function tokensOfRun(run: Run, rules: Rules): Token[] {
  const tokens: Token[] = [];
  let piece: Character[] = [];
  const finish = () => {
    const own = withLanguageOf(piece, run);
    for (const part of partsOf(piece, own)) tokens.push(tokenOf(part, own, rules));
    piece = [];
  };
  for (let at = 0; at < run.characters.length; ) {
    const length = patternLength(run.characters, at, rules);
    if (length === 0) {
      piece.push(run.characters[at++]);
      continue;
    }
    finish();
    const pattern = run.characters.slice(at, at + length);
    tokens.push(tokenOf(pattern, withLanguageOf(pattern, run), rules));
    at += length;
  }
  finish();
  return tokens;
}

/** Han and kana are judged piece by piece, where locales leave open what they are. */
function withLanguageOf(piece: Character[], run: Run): Run {
  const votes = votesOf(piece);
  if (run.script !== "Cj" || !run.mayBeChinese || kanaOf(votes) + hanOf(votes) === 0) return run;
  return { ...run, language: chineseOrJapanese(votes) };
}

/** Characters of the longest pattern at a place, 0 when there is none. */
function patternLength(characters: Character[], at: number, rules: Rules): number {
  for (let length = Math.min(rules.patternLengthMax, characters.length - at); length > 0; length--) {
    if (rules.patterns.has(textOf(characters.slice(at, at + length)))) return length;
  }
  return 0;
}

/** Cuts a piece without separators into words. */
function partsOf(piece: Character[], { script, language }: Run): Character[][] {
  if (piece.length === 0) return [];
  const text = textOf(piece);
  if (/^[\p{N}!-/:-@[-`{-~]+$/u.test(text)) return [piece];
  if (
    script === "Arabic" &&
    (language === "ara" || language === "pes") &&
    /^[\u0627\u0623\u0625\u0622\u0671]\u0644./su.test(text)
  ) {
    return [piece.slice(0, 2), piece.slice(2)];
  }
  const cutLanguage = CUT_LANGUAGES[script === "Cj" ? (language ?? "") : script];
  // Lengths of replaced characters do not fit those of the bytes.
  const isValid = Buffer.byteLength(text) === piece[piece.length - 1].end - piece[0].start;
  if (!cutLanguage || !isValid) return [piece];
  let at = 0;
  return segmenter.cut(text, cutLanguage).map((word) => {
    const start = at;
    at += Array.from(word).length;
    return piece.slice(start, at);
  });
}

function tokenOf(part: Character[], { script, language }: Run, rules: Rules): Token {
  const decomposed = nfkd(textOf(part));
  const plain = plainText(language === "swe" ? swedish(decomposed) : decomposed);
  const lemma = fold(plain, script, language);
  return { lemma, kind: kindOf(plain, lemma, rules), start: part[0].start, end: part[part.length - 1].end };
}

function kindOf(plain: string, lemma: string, rules: Rules): TokenKind {
  if (lemma === "") return "none";
  if (rules.stopWords.has(plain)) return "stop";
  if (!rules.separators.has(plain)) return "word";
  return hardSeparators.has(plain) ? "hard" : "soft";
}

/** The foldings of a script, each over the whole text, in their order. */
function fold(text: string, script: string, language: string | null): string {
  let folded = text;
  if (script === "Arabic" && language === "pes") folded = persian(folded);
  if (LOWERCASED.has(script)) folded = mapped(folded, (character) => character.toLowerCase());
  if (script === "Latin")
    folded = folded.replace(/[’‘‛]/g, "'").replace(/[æÆ]/g, "ae").replace(/[œŒ]/g, "oe");
  if (script === "Cj" && language === "cmn") {
    folded = mapped(folded, (character) => variants.get(character) ?? character);
  }
  if (script === "Greek") folded = folded.replace(/ς$/, "σ");
  if (script === "Arabic") {
    folded = folded.replace(/\u0640/g, "").replace(/[\u0623\u0625\u0622\u0671]/g, "\u0627");
    folded = folded.replace(/\u0649/g, "\u064A").replace(/\u0629/g, "\u0647");
  }
  if (WITHOUT_MARKS.has(script)) folded = mapped(folded, (mark) => (nonSpacingMarks.has(mark) ? "" : mark));
  if (script === "Latin") folded = folded.replace(/[đĐðÐ]/g, "d").replace(/ı/g, "i");
  return folded;
}

/** NFKD of each character by itself: marks are not put in order. */
function nfkd(text: string): string {
  return mapped(text, (character) => character.normalize("NFKD"));
}

function swedish(text: string): string {
  return text.replace(/[AaOo]\u0308|[Aa]\u030A/g, (pair) => pair.normalize("NFC"));
}

/** Without control characters; white space stays. */
function plainText(text: string): string {
  return text.replace(/(?!\p{White_Space})\p{Cc}/gu, "");
}

function persian(text: string): string {
  const letters: Record<string, string> = {
    "\u064A": "\u06CC",
    "\u0649": "\u06CC",
    "\u06C0": "\u06CC",
    "\u0643": "\u06A9",
    "\u060C": ",",
    "\u061F": "?",
    "\uFDFC": "RIAL",
    "\u200C": "",
  };
  const digits = "\u06F0\u06F1\u06F2\u06F3\u06F4\u06F5\u06F6\u06F7\u06F8\u06F9";
  return mapped(text, (character) =>
    digits.includes(character) ? String(digits.indexOf(character)) : (letters[character] ?? character),
  );
}

function mapped(text: string, change: (character: string) => string): string {
  return Array.from(text, change).join("");
}

function textOf(characters: Character[]): string {
  return characters.map(({ text }) => text).join("");
}
