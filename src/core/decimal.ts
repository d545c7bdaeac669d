// Numbers without an exponent, for values of facets and for texts of documents.

/** The shortest decimal that reads back as the number. */
export function decimal(number: number): string {
  const text = `${number}`;
  const [, sign, whole, fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}
