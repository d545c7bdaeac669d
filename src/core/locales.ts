// What a list of locales means to the tokenizer: one small number, made here and read by
// assembly/tokenizer-runs.ts. Only five languages change how a text is cut and folded; all others count as
// one.

/** Values of LOCALE_* in assembly/tokenizer-state.ts. */
const NONE = 0;
const OTHER = 6;
const SET_WITH_CHINESE = 7;
const SET = 8;
const CHINESE = 1;
const ONE_LANGUAGE = new Map([
  ["cmn", CHINESE],
  ["jpn", 2],
  ["swe", 3],
  ["ara", 4],
  ["pes", 5],
]);

/** Other names of languages that are told apart. */
const ALIASES = new Map([
  ["zh", "cmn"],
  ["zho", "cmn"],
  ["ja", "jpn"],
  ["sv", "swe"],
  ["ar", "ara"],
  ["fa", "pes"],
]);

/**
 * Code of a list of ISO 639-1 or 639-3 codes. A missing or empty list leaves the choice to the text; a list
 * of one language is believed; a list of several only tells whether a text of ideographs may be Chinese.
 */
export function localeCode(locales?: readonly string[]): number {
  if (!locales?.length) return NONE;
  const languages = new Set(locales.map((locale) => ALIASES.get(locale) ?? locale));
  if (languages.size > 1) return languages.has("cmn") ? SET_WITH_CHINESE : SET;
  const [language] = languages;
  return ONE_LANGUAGE.get(language) ?? OTHER;
}
