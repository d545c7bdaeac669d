// The languages that `locales` (search) and `localizedAttributes` (settings) accept, as ISO 639-1 or 639-3
// codes.

/** Two-letter code -> three-letter code. */
export const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "af/afr ak/aka am/amh ar/ara az/aze be/bel bn/ben bg/bul ca/cat cs/ces da/dan de/deu " +
    "el/ell en/eng eo/epo et/est fi/fin fr/fra gu/guj he/heb hi/hin hr/hrv hu/hun hy/hye " +
    "id/ind it/ita jv/jav ja/jpn kn/kan ka/kat km/khm ko/kor la/lat lv/lav lt/lit ml/mal " +
    "mr/mar mk/mkd my/mya ne/nep nl/nld nb/nob or/ori pa/pan fa/pes pl/pol pt/por ro/ron " +
    "ru/rus si/sin sk/slk sl/slv sn/sna es/spa sr/srp sv/swe ta/tam te/tel tl/tgl th/tha " +
    "tk/tuk tr/tur uk/ukr ur/urd uz/uzb vi/vie yi/yid zh/zho zu/zul"
  )
    .split(" ")
    .map((pair) => pair.split("/")),
);

/** Every accepted code: two letters first, then three, then Mandarin by its own name. */
export const LOCALES: readonly string[] = [...Object.keys(LANGUAGES), ...Object.values(LANGUAGES), "cmn"];

/** The three-letter form of an accepted code. */
export function threeLetterLocale(code: string): string {
  return LANGUAGES[code] ?? code;
}
