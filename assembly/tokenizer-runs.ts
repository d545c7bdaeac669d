// Script runs: the tokenizer looks at a text as runs of characters of one script (ranges of characters, not
// the script property of Unicode). A run is judged by the majority of its characters; that tells script and
// language.
import { characterProperties, propertyScript } from "./tokenizer-characters";
import {
  LOCALE,
  LOCALE_ARABIC,
  LOCALE_CHINESE,
  LOCALE_FOREIGN_BIT,
  LOCALE_JAPANESE,
  LOCALE_NONE,
  LOCALE_PERSIAN,
  LOCALE_PERSIAN_BIT,
  LOCALE_SET,
  LOCALE_SET_WITH_CHINESE,
  LOCALE_SWEDISH,
  LOCALE_SWEDISH_BIT,
  PIECE_LANGUAGE,
  POSITION,
  RUN_END,
  RUN_LANGUAGE,
  RUN_SCRIPT,
  TEXT_END,
} from "./tokenizer-state";
import { utf8Decode } from "./tokenizer-utf8";
import {
  SCRIPT_ARABIC,
  SCRIPT_ARMENIAN,
  SCRIPT_HAN,
  SCRIPT_HIRAGANA,
  SCRIPT_KATAKANA,
  SCRIPT_LATIN,
  SCRIPT_OTHER,
} from "./tables/characters";

/** Han, hiragana and katakana, which count as one script. */
export const SCRIPT_CJ: u32 = SCRIPT_HAN;
/** Room for the number of characters of each script; codes of scripts are below 32. */
const VOTES_BYTES: usize = 128;
const VOTES: usize = memory.data(160, 16);
/** Scripts as bytes, from SCRIPT_LATIN on. */
const ORDER: usize = VOTES + VOTES_BYTES;

/**
 * Finds end, script and language of the run that begins at the position of the tokenizer, which is before the
 * end of the text.
 */
export function runBegin(tokenizer: usize): void {
  const start: usize = load<u32>(tokenizer, POSITION);
  const textEnd: usize = load<u32>(tokenizer, TEXT_END);
  let script = SCRIPT_OTHER;
  let armenian = false;
  let pointer = start;
  while (pointer < textEnd) {
    if (script <= SCRIPT_LATIN) {
      const ascii = asciiEnd(pointer, textEnd);
      if (ascii > pointer) {
        if (script == SCRIPT_OTHER && hasLetter(pointer, ascii)) script = SCRIPT_LATIN;
        pointer = ascii;
        continue;
      }
    }
    const character = utf8Decode(pointer, textEnd);
    const own = propertyScript(characterProperties(character & 0xffffff));
    if (own == SCRIPT_ARMENIAN) armenian = true;
    const next = runScript(own);
    if (next != SCRIPT_OTHER && next != script) {
      if (script != SCRIPT_OTHER) break;
      script = next;
    }
    pointer += <usize>(character >> 24);
  }
  store<u32>(tokenizer, <u32>pointer, RUN_END);
  if (script == SCRIPT_CJ || armenian) vote(tokenizer, start, pointer);
  else judge(tokenizer, script);
}

/**
 * Makes the whole text one run. Without locales, variants of ideographs are folded even between kana: a value
 * must be folded as its beginning is, which people type. One locale is believed, whatever the script.
 */
export function runWhole(tokenizer: usize): void {
  const end: usize = load<u32>(tokenizer, TEXT_END);
  store<u32>(tokenizer, <u32>end, RUN_END);
  vote(tokenizer, load<u32>(tokenizer, POSITION), end);
  const locale = load<u32>(tokenizer, LOCALE);
  if (locale < LOCALE_SET) store<u32>(tokenizer, locale || LOCALE_CHINESE, PIECE_LANGUAGE);
}

function votes(script: u32): u32 {
  return load<u32>(VOTES + (<usize>script << 2));
}

function runScript(script: u32): u32 {
  if (script == SCRIPT_HIRAGANA || script == SCRIPT_KATAKANA) return SCRIPT_CJ;
  return script == SCRIPT_ARMENIAN ? SCRIPT_OTHER : script;
}

/** End of the ASCII bytes at `pointer`. */
function asciiEnd(pointer: usize, end: usize): usize {
  while (pointer + 16 <= end) {
    const mask = i8x16.bitmask(v128.load(pointer));
    if (mask) return pointer + <usize>ctz(mask);
    pointer += 16;
  }
  while (pointer < end && load<u8>(pointer) < 0x80) pointer++;
  return pointer;
}

function hasLetter(pointer: usize, end: usize): bool {
  for (; pointer < end; pointer++) if ((<u32>load<u8>(pointer) | 32) - 97 < 26) return true;
  return false;
}

/**
 * Counts the scripts of a run. Of equally frequent ones the foremost in a list wins, in which each character
 * moves its script one place forward.
 */
function vote(tokenizer: usize, pointer: usize, end: usize): void {
  memory.fill(VOTES, 0, VOTES_BYTES);
  const first = ORDER + <usize>SCRIPT_LATIN;
  for (let script = SCRIPT_LATIN; script <= SCRIPT_ARMENIAN; script++)
    store<u8>(ORDER + <usize>script, script);
  while (pointer < end) {
    const character = utf8Decode(pointer, end);
    pointer += <usize>(character >> 24);
    const script = propertyScript(characterProperties(character & 0xffffff));
    if (script == SCRIPT_OTHER) continue;
    store<u32>(VOTES + (<usize>script << 2), votes(script) + 1);
    let place = first;
    while (load<u8>(place) != <u8>script) place++;
    if (place == first) continue;
    store<u8>(place, load<u8>(place - 1));
    store<u8>(place - 1, script);
  }
  let winner: u32 = SCRIPT_OTHER;
  for (let place = first; place <= ORDER + <usize>SCRIPT_ARMENIAN; place++) {
    const script: u32 = load<u8>(place);
    if (votes(script) > votes(winner)) winner = script;
  }
  judge(tokenizer, winner);
}

/** The script that wins decides; of Han and kana the votes count, too. */
function judge(tokenizer: usize, winner: u32): void {
  const script = winner == SCRIPT_ARMENIAN ? winner : runScript(winner);
  store<u32>(tokenizer, script, RUN_SCRIPT);
  const found = language(script, winner, load<u32>(tokenizer, LOCALE));
  store<u32>(tokenizer, found, RUN_LANGUAGE);
  store<u32>(tokenizer, found, PIECE_LANGUAGE);
}

/**
 * Determines the language of a piece. Where locales leave open whether Han and kana are Chinese or Japanese,
 * each piece is judged by itself: it must be split the same way as a query, which often is no longer than
 * that.
 */
export function pieceBegin(tokenizer: usize, start: usize, end: usize): void {
  const locale = load<u32>(tokenizer, LOCALE);
  let found = load<u32>(tokenizer, RUN_LANGUAGE);
  if (
    load<u32>(tokenizer, RUN_SCRIPT) == SCRIPT_CJ &&
    (locale == LOCALE_NONE || (locale & LOCALE_SET_WITH_CHINESE) == LOCALE_SET_WITH_CHINESE)
  ) {
    let han: u32 = 0;
    let kana: u32 = 0;
    while (start < end) {
      const character = utf8Decode(start, end);
      start += <usize>(character >> 24);
      const script = propertyScript(characterProperties(character & 0xffffff));
      if (script == SCRIPT_HAN) han++;
      else if (runScript(script) == SCRIPT_CJ) kana++;
    }
    if (han + kana) found = chineseOrJapanese(han, kana);
  }
  store<u32>(tokenizer, found, PIECE_LANGUAGE);
}

/** The locale code of a language, or LOCALE_NONE. Only scripts of several languages have one. */
function language(script: u32, winner: u32, locale: u32): u32 {
  if (script != SCRIPT_LATIN && script != SCRIPT_CJ && script != SCRIPT_ARABIC) return LOCALE_NONE;
  if (locale != LOCALE_NONE && locale < LOCALE_SET) return locale;
  if (script == SCRIPT_LATIN) return locale & LOCALE_SWEDISH_BIT ? LOCALE_SWEDISH : LOCALE_NONE;
  // Statistics of letters could tell Persian and Urdu in long texts; short ones nearly always come out as
  // Arabic.
  if (script == SCRIPT_ARABIC) {
    if (locale & LOCALE_FOREIGN_BIT) return LOCALE_NONE;
    return locale & LOCALE_PERSIAN_BIT ? LOCALE_PERSIAN : LOCALE_ARABIC;
  }
  if (winner != SCRIPT_HAN || (locale & LOCALE_SET_WITH_CHINESE) == LOCALE_SET) return LOCALE_JAPANESE;
  return chineseOrJapanese(votes(SCRIPT_HAN), votes(SCRIPT_HIRAGANA) + votes(SCRIPT_KATAKANA));
}

/** Text with more than 5 % kana is Japanese. */
function chineseOrJapanese(han: u32, kana: u32): u32 {
  return kana * 20 > kana + han ? LOCALE_JAPANESE : LOCALE_CHINESE;
}
