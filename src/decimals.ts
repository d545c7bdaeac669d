// Numbers as texts hold them: parameters, cells of CSV, degrees in documents, values in templates.

/** Decimal, without blanks, in the whole of a text. `Number` reads what matches, be it infinite. */
export const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
