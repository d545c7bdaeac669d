// Script runs: the tokenizer looks at a text as runs of characters of one script (ranges of characters, not
// the script property of Unicode). A run is judged by the majority of its characters; that tells script and
// language.
import { characterProperties, propertyScript } from "./tokenizer-characters";
import {
  LOCALE,
  LOCALE_ARABIC,
  LOCALE_CHINESE,
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
const VOTES: usize = memory.data(128, 16);

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
  else judge(tokenizer, script, 0, 0);
}

/**
 * Makes the whole text one run, whose script is that of most of its characters; of equally frequent ones the
 * first to appear wins.
 */
export function runWhole(tokenizer: usize): void {
  const start: usize = load<u32>(tokenizer, POSITION);
  const end: usize = load<u32>(tokenizer, TEXT_END);
  memory.fill(VOTES, 0, VOTES_BYTES);
  let most: u32 = 0;
  for (let pointer = start; pointer < end; ) {
    const character = utf8Decode(pointer, end);
    pointer += <usize>(character >> 24);
    const vote = VOTES + (<usize>propertyScript(characterProperties(character & 0xffffff)) << 2);
    store<u32>(vote, load<u32>(vote) + 1);
    if (vote != VOTES + (<usize>SCRIPT_OTHER << 2)) most = max(most, load<u32>(vote));
  }
  let winner = SCRIPT_OTHER;
  for (let pointer = start; pointer < end && most && winner == SCRIPT_OTHER; ) {
    const character = utf8Decode(pointer, end);
    pointer += <usize>(character >> 24);
    const script = propertyScript(characterProperties(character & 0xffffff));
    if (script != SCRIPT_OTHER && votes(script) == most) winner = script;
  }
  store<u32>(tokenizer, <u32>end, RUN_END);
  judge(tokenizer, winner, votes(SCRIPT_HAN), votes(SCRIPT_HIRAGANA) + votes(SCRIPT_KATAKANA));
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

/** Counts the scripts of a run. Of equally frequent ones the first to appear wins. */
function vote(tokenizer: usize, pointer: usize, end: usize): void {
  let own: u32 = SCRIPT_OTHER;
  let owns: u32 = 0;
  let hiragana: u32 = 0;
  let katakana: u32 = 0;
  let armenian: u32 = 0;
  // The counters in the order of their first appearance, a byte each, newest first: script codes are below
  // 32.
  let order: u32 = 0;
  while (pointer < end) {
    const character = utf8Decode(pointer, end);
    pointer += <usize>(character >> 24);
    const script = propertyScript(characterProperties(character & 0xffffff));
    if (script == SCRIPT_OTHER) continue;
    let count: u32 = 0;
    if (script == SCRIPT_ARMENIAN) count = ++armenian;
    else if (script == SCRIPT_HIRAGANA) count = ++hiragana;
    else if (script == SCRIPT_KATAKANA) count = ++katakana;
    else {
      own = script;
      count = ++owns;
    }
    if (count == 1) order = (order << 8) | script;
  }
  let winner: u32 = SCRIPT_OTHER;
  let most: u32 = 0;
  for (; order != 0; order >>= 8) {
    const script = order & 255;
    let count = owns;
    if (script == SCRIPT_ARMENIAN) count = armenian;
    else if (script == SCRIPT_HIRAGANA) count = hiragana;
    else if (script == SCRIPT_KATAKANA) count = katakana;
    if (count < most) continue;
    most = count;
    winner = script;
  }
  judge(tokenizer, winner, own == SCRIPT_HAN ? owns : 0, hiragana + katakana);
}

function judge(tokenizer: usize, winner: u32, han: u32, kana: u32): void {
  const script = winner == SCRIPT_ARMENIAN ? winner : runScript(winner);
  store<u32>(tokenizer, script, RUN_SCRIPT);
  const found = language(script, winner, han, kana, load<u32>(tokenizer, LOCALE));
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
function language(script: u32, winner: u32, han: u32, kana: u32, locale: u32): u32 {
  if (script != SCRIPT_LATIN && script != SCRIPT_CJ && script != SCRIPT_ARABIC) return LOCALE_NONE;
  if (locale != LOCALE_NONE && locale < LOCALE_SET) return locale;
  if (script == SCRIPT_LATIN) return locale & LOCALE_SWEDISH_BIT ? LOCALE_SWEDISH : LOCALE_NONE;
  // Statistics of letters could tell Persian and Urdu in long texts; short ones nearly always come out as
  // Arabic.
  if (script == SCRIPT_ARABIC) return locale & LOCALE_PERSIAN_BIT ? LOCALE_PERSIAN : LOCALE_ARABIC;
  if (winner != SCRIPT_HAN || (locale & LOCALE_SET_WITH_CHINESE) == LOCALE_SET) return LOCALE_JAPANESE;
  return chineseOrJapanese(han, kana);
}

/** Text with more than 5 % kana is Japanese. */
function chineseOrJapanese(han: u32, kana: u32): u32 {
  return kana * 20 > kana + han ? LOCALE_JAPANESE : LOCALE_CHINESE;
}
