// Where the lists of terms begin (assembly/term-starts.ts), for src/segment/termstarts.ts.
export interface TermStartsExports {
  termStart(rows: number, rests: number, units: number, at: number, kind: number): number;
  termStarts(
    rows: number,
    rests: number,
    units: number,
    at: number,
    kind: number,
    count: number,
    out: number,
  ): void;
}
