// Decimal numbers in texts: parameters, cells of CSV, degrees in documents, values in templates.

/**
 * Matches a text that is one decimal number, without blanks. `Number` reads what matches, perhaps as
 * infinity.
 */
export const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
