// The grammar of JSON documents as a table: TRANSITIONS[state * 256 + byte] is the next state, or an action
// when it is ACTION.first or more. json-lines.ts follows it over the bytes of a body; it can stop and go on
// at any byte, so no document is ever held as a whole.
//
//   between documents  BODY, LIST_.., LINES: which of them depends on the format
//   in a document      NAME_OR_END -> NAME_TEXT -> COLON -> VALUE -> value -> AFTER_..

/** States. Those with long runs of bytes come first: the walk asks `state <= FRACTION` for each byte. */
export const STATE = {
  VALUE_TEXT: 0,
  NAME_TEXT: 1,
  FRACTION: 2,
  ESCAPE: 3,
  HEX_1: 4,
  HEX_2: 5,
  HEX_3: 6,
  HEX_4: 7,
  VALUE: 8,
  VALUE_OR_END: 9,
  NAME: 10,
  NAME_OR_END: 11,
  COLON: 12,
  AFTER_OBJECT_VALUE: 13,
  AFTER_ARRAY_VALUE: 14,
  MINUS: 15,
  ZERO: 16,
  INTEGER: 17,
  POINT: 18,
  EXPONENT: 19,
  EXPONENT_SIGN: 20,
  EXPONENT_DIGITS: 21,
  T: 22,
  TR: 23,
  TRU: 24,
  F: 25,
  FA: 26,
  FAL: 27,
  FALS: 28,
  N: 29,
  NU: 30,
  NUL: 31,
  /** Start of a JSON body: a list of documents or one document. */
  BODY: 32,
  /** In a list, before its first document. */
  LIST_START: 33,
  /** In a list, after a comma. */
  LIST_NEXT: 34,
  /** In a list, after a document. */
  LIST_AFTER: 35,
  /** After the list or the single document: only white space. */
  BODY_END: 36,
  /** Between the documents of an NDJSON body. */
  LINES: 37,
  /**
   * Escapes in names: none may stand for half of a surrogate pair, since names are told apart by their UTF-8.
   */
  NAME_ESCAPE: 38,
  NAME_HEX_1: 39,
  NAME_HEX_2: 40,
  NAME_HEX_3: 41,
  NAME_HEX_4: 42,
  /** After `\ud`. */
  SURROGATE: 43,
  HIGH_3: 44,
  HIGH_4: 45,
  LOW_ESCAPE: 46,
  LOW_U: 47,
  LOW_HEX_1: 48,
  LOW_HEX_2: 49,
  /** The same in values, after `\ud`: what turns out to be half of a pair is replaced. */
  VALUE_SURROGATE: 50,
  VALUE_HIGH_3: 51,
  VALUE_HIGH_4: 52,
  VALUE_LOW_ESCAPE: 53,
  VALUE_LOW_U: 54,
  VALUE_LOW_HEX_1: 55,
  VALUE_LOW_HEX_2: 56,
  /** A second half without a first one; LONE_END is behind its last digit. */
  LONE_3: 57,
  LONE_4: 58,
  LONE_END: 59,
} as const;

const STATES = Object.keys(STATE).length;
/** After a backslash, then before each of the four digits. */
const VALUE_ESCAPES = [STATE.ESCAPE, STATE.HEX_1, STATE.HEX_2, STATE.HEX_3, STATE.HEX_4];
const NAME_ESCAPES = [
  STATE.NAME_ESCAPE,
  STATE.NAME_HEX_1,
  STATE.NAME_HEX_2,
  STATE.NAME_HEX_3,
  STATE.NAME_HEX_4,
];
/** From behind `\ud` to before the last two digits of a pair. */
const VALUE_PAIRS = [
  STATE.VALUE_SURROGATE,
  STATE.VALUE_HIGH_3,
  STATE.VALUE_HIGH_4,
  STATE.VALUE_LOW_ESCAPE,
  STATE.VALUE_LOW_U,
  STATE.VALUE_LOW_HEX_1,
  STATE.VALUE_LOW_HEX_2,
];
const NAME_PAIRS = [
  STATE.SURROGATE,
  STATE.HIGH_3,
  STATE.HIGH_4,
  STATE.LOW_ESCAPE,
  STATE.LOW_U,
  STATE.LOW_HEX_1,
  STATE.LOW_HEX_2,
];
const HEXADECIMAL = "0123456789abcdefABCDEF";

/** What a byte demands besides a change of state. `first` is no action but the lowest action number. */
export const ACTION = {
  first: 100,
  OPEN_OBJECT: 100,
  OPEN_ARRAY: 101,
  CLOSE: 102,
  /** The byte ends a value and belongs to it. */
  END_VALUE: 103,
  /** The byte ends a number without belonging to it: it is looked at again. */
  END_NUMBER: 104,
  LINE_FEED: 105,
  OPEN_LIST: 106,
  /** The byte proves an escape before it to be half of a surrogate pair (HALVES); it is looked at again. */
  REPLACE_HALF: 107,
  REFUSE: 255,
} as const;

/**
 * For the states in which an escape may turn out to be half of a pair: how many bytes came since its first
 * digit, and, where that is decided by the next byte, the state in which that byte is looked at again.
 */
export const HALVES: Record<number, { since: number; decided?: number }> = {
  [STATE.VALUE_SURROGATE]: { since: 1 },
  [STATE.VALUE_HIGH_3]: { since: 2 },
  [STATE.VALUE_HIGH_4]: { since: 3 },
  [STATE.VALUE_LOW_ESCAPE]: { since: 4, decided: STATE.VALUE_TEXT },
  [STATE.VALUE_LOW_U]: { since: 5, decided: STATE.ESCAPE },
  [STATE.VALUE_LOW_HEX_1]: { since: 6, decided: STATE.HEX_1 },
  [STATE.VALUE_LOW_HEX_2]: { since: 7, decided: STATE.VALUE_SURROGATE },
  [STATE.LONE_3]: { since: 2 },
  [STATE.LONE_4]: { since: 3 },
  [STATE.LONE_END]: { since: 4, decided: STATE.VALUE_TEXT },
};

export const TRANSITIONS: Uint8Array = makeTransitions(true);

/** For documents that were stored once: earlier versions accepted names with halves of surrogate pairs. */
export const STORED_TRANSITIONS: Uint8Array = makeTransitions(false);

/** 1 for bytes that stand for themselves inside a text. */
export const PLAIN_TEXT: Uint8Array = new Uint8Array(256).map((_, byte) =>
  byte >= 0x20 && byte !== 0x22 && byte !== 0x5c ? 1 : 0,
);

/** What could have come at the point where the text was refused. */
export function expectation(state: number): string {
  return EXPECTED[state] ?? "another character";
}

const EXPECTED: Record<number, string> = {
  [STATE.VALUE_TEXT]: 'a character that is not a control character, or the closing `"`',
  [STATE.NAME_TEXT]: 'a character that is not a control character, or the closing `"`',
  [STATE.ESCAPE]: 'one of `"\\/bfnrtu` behind a backslash',
  [STATE.HEX_1]: "four hexadecimal digits behind `\\u`",
  [STATE.HEX_2]: "four hexadecimal digits behind `\\u`",
  [STATE.HEX_3]: "four hexadecimal digits behind `\\u`",
  [STATE.HEX_4]: "four hexadecimal digits behind `\\u`",
  [STATE.VALUE]: "a value",
  [STATE.VALUE_OR_END]: "a value or `]`",
  [STATE.NAME]: "a field name in double quotes",
  [STATE.NAME_OR_END]: "a field name in double quotes or `}`",
  [STATE.COLON]: "`:` behind the field name",
  [STATE.AFTER_OBJECT_VALUE]: "`,` or `}`",
  [STATE.AFTER_ARRAY_VALUE]: "`,` or `]`",
  [STATE.MINUS]: "a digit",
  [STATE.ZERO]: "the end of the number (no digit may follow a leading zero)",
  [STATE.INTEGER]: "a digit or the end of the number",
  [STATE.POINT]: "a digit",
  [STATE.FRACTION]: "a digit or the end of the number",
  [STATE.EXPONENT]: "a digit or a sign",
  [STATE.EXPONENT_SIGN]: "a digit",
  [STATE.EXPONENT_DIGITS]: "a digit or the end of the number",
  [STATE.BODY]: "an object or a list of objects",
  [STATE.LIST_START]: "an object or `]`",
  [STATE.LIST_NEXT]: "an object",
  [STATE.LIST_AFTER]: "`,` or `]`",
  [STATE.BODY_END]: "the end of the body",
  [STATE.LINES]: "an object",
};
NAME_ESCAPES.forEach((state, place) => {
  EXPECTED[state] = EXPECTED[VALUE_ESCAPES[place]];
});
for (const state of NAME_PAIRS)
  EXPECTED[state] = "the rest of a surrogate pair (a field name holds no half of one)";
for (const [state, { decided = STATE.HEX_1 }] of Object.entries(HALVES))
  EXPECTED[Number(state)] = EXPECTED[decided];
for (let state: number = STATE.T; state <= STATE.NUL; state++) EXPECTED[state] = "`true`, `false` or `null`";

function makeTransitions(refusesHalves: boolean): Uint8Array {
  const table = new Uint8Array(256 * STATES).fill(ACTION.REFUSE);
  const rule = (state: number, bytes: string, next: number) => {
    for (const byte of Buffer.from(bytes, "latin1")) table[state * 256 + byte] = next;
  };
  addBlanks(rule);
  addNesting(rule);
  addTexts(rule);
  addHalves(table, rule);
  addPairs(rule, VALUE_ESCAPES, VALUE_PAIRS);
  if (refusesHalves) addPairs(rule, NAME_ESCAPES, NAME_PAIRS);
  addNumbers(rule);
  addLiterals(rule);
  return table;
}

type Rule = (state: number, bytes: string, next: number) => void;

function addBlanks(rule: Rule): void {
  const { VALUE, VALUE_OR_END, NAME, NAME_OR_END, COLON, AFTER_OBJECT_VALUE, AFTER_ARRAY_VALUE } = STATE;
  const { BODY, LIST_START, LIST_NEXT, LIST_AFTER, BODY_END, LINES } = STATE;
  const inside = [VALUE, VALUE_OR_END, NAME, NAME_OR_END, COLON, AFTER_OBJECT_VALUE, AFTER_ARRAY_VALUE];
  for (const state of [...inside, BODY, LIST_START, LIST_NEXT, LIST_AFTER, BODY_END, LINES]) {
    rule(state, " \t\r", state);
    rule(state, "\n", ACTION.LINE_FEED);
  }
}

function addNesting(rule: Rule): void {
  for (const state of [STATE.BODY, STATE.LIST_START, STATE.LIST_NEXT, STATE.LINES]) {
    rule(state, "{", ACTION.OPEN_OBJECT);
  }
  rule(STATE.BODY, "[", ACTION.OPEN_LIST);
  rule(STATE.LIST_START, "]", STATE.BODY_END);
  rule(STATE.LIST_AFTER, "]", STATE.BODY_END);
  rule(STATE.LIST_AFTER, ",", STATE.LIST_NEXT);
  for (const state of [STATE.VALUE, STATE.VALUE_OR_END]) {
    rule(state, "{", ACTION.OPEN_OBJECT);
    rule(state, "[", ACTION.OPEN_ARRAY);
  }
  rule(STATE.VALUE_OR_END, "]", ACTION.CLOSE);
  rule(STATE.NAME_OR_END, "}", ACTION.CLOSE);
  rule(STATE.AFTER_OBJECT_VALUE, "}", ACTION.CLOSE);
  rule(STATE.AFTER_ARRAY_VALUE, "]", ACTION.CLOSE);
  rule(STATE.AFTER_OBJECT_VALUE, ",", STATE.NAME);
  rule(STATE.AFTER_ARRAY_VALUE, ",", STATE.VALUE);
  rule(STATE.COLON, ":", STATE.VALUE);
}

function addTexts(rule: Rule): void {
  rule(STATE.NAME, '"', STATE.NAME_TEXT);
  rule(STATE.NAME_OR_END, '"', STATE.NAME_TEXT);
  rule(STATE.VALUE, '"', STATE.VALUE_TEXT);
  rule(STATE.VALUE_OR_END, '"', STATE.VALUE_TEXT);
  rule(STATE.NAME_TEXT, '"', STATE.COLON);
  rule(STATE.VALUE_TEXT, '"', ACTION.END_VALUE);
  addEscapes(rule, STATE.VALUE_TEXT, VALUE_ESCAPES);
  addEscapes(rule, STATE.NAME_TEXT, NAME_ESCAPES);
}

function addEscapes(rule: Rule, text: number, [start, ...hex]: readonly number[]): void {
  rule(text, "\\", start);
  rule(start, '"\\/bfnrt', text);
  rule(start, "u", hex[0]);
  for (let place = 0; place < 4; place++) rule(hex[place], HEXADECIMAL, hex[place + 1] ?? text);
}

/**
 * \ud8xx to \udbxx, followed by \udcxx to \udfxx: either both halves are escaped or neither is.
 * `escapes`, `states`: those of names or of values.
 */
function addPairs(rule: Rule, escapes: readonly number[], states: readonly number[]): void {
  const [, hex1, , hex3] = escapes;
  const [surrogate, high3, high4, lowEscape, lowU, lowHex1, lowHex2] = states;
  rule(hex1, "dD", surrogate);
  rule(surrogate, "01234567", hex3);
  rule(surrogate, "89abAB", high3);
  rule(high3, HEXADECIMAL, high4);
  rule(high4, HEXADECIMAL, lowEscape);
  rule(lowEscape, "\\", lowU);
  rule(lowU, "u", lowHex1);
  rule(lowHex1, "dD", lowHex2);
  rule(lowHex2, "cdefCDEF", hex3);
}

/** In a value a half is no fault: the first byte that proves it replaces it. To be called before addPairs. */
function addHalves(table: Uint8Array, rule: Rule): void {
  for (const [state, { decided }] of Object.entries(HALVES))
    if (decided !== undefined)
      table.fill(ACTION.REPLACE_HALF, Number(state) * 256, (Number(state) + 1) * 256);
  rule(STATE.VALUE_SURROGATE, "cdefCDEF", STATE.LONE_3);
  rule(STATE.LONE_3, HEXADECIMAL, STATE.LONE_4);
  rule(STATE.LONE_4, HEXADECIMAL, STATE.LONE_END);
}

function addNumbers(rule: Rule): void {
  for (const state of [STATE.VALUE, STATE.VALUE_OR_END, STATE.MINUS]) {
    rule(state, "0", STATE.ZERO);
    rule(state, "123456789", STATE.INTEGER);
  }
  rule(STATE.VALUE, "-", STATE.MINUS);
  rule(STATE.VALUE_OR_END, "-", STATE.MINUS);
  rule(STATE.INTEGER, "0123456789", STATE.INTEGER);
  rule(STATE.POINT, "0123456789", STATE.FRACTION);
  rule(STATE.FRACTION, "0123456789", STATE.FRACTION);
  rule(STATE.EXPONENT, "+-", STATE.EXPONENT_SIGN);
  for (const state of [STATE.EXPONENT, STATE.EXPONENT_SIGN, STATE.EXPONENT_DIGITS]) {
    rule(state, "0123456789", STATE.EXPONENT_DIGITS);
  }
  for (const state of [STATE.ZERO, STATE.INTEGER, STATE.FRACTION]) rule(state, "eE", STATE.EXPONENT);
  for (const state of [STATE.ZERO, STATE.INTEGER]) rule(state, ".", STATE.POINT);
  for (const state of [STATE.ZERO, STATE.INTEGER, STATE.FRACTION, STATE.EXPONENT_DIGITS]) {
    rule(state, " \t\r\n,]}", ACTION.END_NUMBER);
  }
}

function addLiterals(rule: Rule): void {
  for (const [word, first] of [
    ["true", STATE.T],
    ["false", STATE.F],
    ["null", STATE.N],
  ] as const) {
    rule(STATE.VALUE, word[0], first);
    rule(STATE.VALUE_OR_END, word[0], first);
    const last = word.length - 1;
    for (let place = 1; place < last; place++) rule(first + place - 1, word[place], first + place);
    rule(first + last - 1, word[last], ACTION.END_VALUE);
  }
}
