// Reduces a list of locales to what the tokenizer needs: one small number, made here and read by
// assembly/tokenizer-runs.ts. Only five languages change how a text is split and folded; all others count as
// one.
import { threeLetterLocale } from "../schemas/locales.ts";

/** Values of LOCALE_* in assembly/tokenizer-state.ts. */
const NONE = 0;
const OTHER = 6;
const SET = 8;
const CHINESE = 1;
const ONE_LANGUAGE = new Map([
  ["cmn", CHINESE],
  ["jpn", 2],
  ["swe", 3],
  ["ara", 4],
  ["pes", 5],
]);
/** What a list of several languages tells about a text. */
const SWEDISH_BIT = 2;
const PERSIAN_BIT = 4;
/** Neither Arabic nor Persian is in the list, so that no article is cut off. */
const FOREIGN_BIT = 16;
const LATIN = new Set(
  (
    "afr aka aze cat ces dan deu eng epo est fin fra hrv hun ind ita jav lat lav lit nld nob pol por ron " +
    "slk slv sna spa swe tgl tuk tur uzb vie zul"
  ).split(" "),
);
const ARABIC = new Set(["ara", "pes", "urd"]);

/** Alternative codes of languages that are told apart. */
const ALIASES = new Map([
  ["zh", "cmn"],
  ["zho", "cmn"],
]);

/**
 * The number for a list of ISO 639-1 or 639-3 codes. A missing or empty list leaves the choice to the text; a
 * list of one language is believed. A list of several decides whether a text of ideographs may be Chinese,
 * and which language a text has if only one of them is written in its script.
 */
export function localeCode(locales?: readonly string[]): number {
  if (!locales?.length) return NONE;
  const languages = new Set(locales.map((locale) => ALIASES.get(locale) ?? threeLetterLocale(locale)));
  if (languages.size > 1) return SET | knownOf([...languages]);
  const [language] = languages;
  return ONE_LANGUAGE.get(language) ?? OTHER;
}

function knownOf(languages: readonly string[]): number {
  const isOnly = (language: string, script: ReadonlySet<string>) =>
    languages.filter((other) => script.has(other)).join() === language;
  return (
    (languages.includes("cmn") ? CHINESE : 0) |
    (isOnly("swe", LATIN) ? SWEDISH_BIT : 0) |
    (isOnly("pes", ARABIC) ? PERSIAN_BIT : 0) |
    (languages.includes("ara") || languages.includes("pes") ? 0 : FOREIGN_BIT)
  );
}
