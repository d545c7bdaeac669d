// Sizes in bytes as people write them: `100 MB`, `107.7Gb`, `1 MiB`. The launch options read them; error
// messages and the progress display print them.

const UNITS: Record<string, number> = {
  "": 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  t: 1e12,
  tb: 1e12,
  ki: 2 ** 10,
  kib: 2 ** 10,
  mi: 2 ** 20,
  mib: 2 ** 20,
  gi: 2 ** 30,
  gib: 2 ** 30,
  ti: 2 ** 40,
  tib: 2 ** 40,
};

/**
 * Bytes of a text such as `200MiB`, `100 MB` or `4096`; any case, blanks allowed. Undefined when it is no
 * size.
 */
export function parseSize(text: string): number | undefined {
  // With `\s*` on both sides of an optional group, blanks could be split in many ways, and each would be
  // tried; hence `trim`.
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = match ? UNITS[match[2].toLowerCase()] : undefined;
  if (!match || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Largest unit that fits, decimal or binary, and all digits, as details of exports show sizes: "1 KB". */
export function wholeSize(bytes: number): string {
  const [unit, unitBytes] = FITTING_UNITS.findLast(([, least]) => bytes >= least) ?? ["B", 1];
  return `${bytes / unitBytes} ${unit}`;
}

const FITTING_UNITS = ["KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB"].map(
  (unit): [unit: string, bytes: number] => [unit, UNITS[unit.toLowerCase()]],
);

/** Binary unit and two decimals, as the API shows sizes: "1.50 MiB". */
export function binarySize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(2)} ${units[power]}`;
}

/** `100 MB` or, for multiples of 1024, `10 MiB`: at most two decimals. */
export function formatSize(bytes: number): string {
  const binary = bytes >= 1024 && bytes % 1024 === 0;
  const step = binary ? 1024 : 1000;
  const units = binary ? ["bytes", "KiB", "MiB", "GiB", "TiB"] : ["bytes", "kB", "MB", "GB", "TB"];
  let power = 0;
  while (power < units.length - 1 && bytes >= step ** (power + 1)) power++;
  return `${Number((bytes / step ** power).toFixed(2))} ${units[power]}`;
}
