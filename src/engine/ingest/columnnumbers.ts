// Decides which fields of the documents of an indexing run have columns, and numbers these in order of
// appearance. The walker asks once for each new path (indexing.ts). Numbers are only valid for one run:
// segments know columns by name.
import { COLUMN_DEGREES, COLUMN_GEOMETRY, COLUMN_NONE, COLUMN_POINT } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { ColumnNames } from "../../segment/valuetable.ts";
import { covers } from "../fieldnames.ts";
import {
  type ColumnRules,
  columnRules,
  filterFeatures,
  filtersShapes,
  hasColumn,
  hasColumnsBelow,
  hasPoints,
} from "../filter/attributes.ts";

/** Most columns of an index, each flattened name counted. */
const COLUMNS_MAX = 65535;
/** The degrees of a shape: shapes are found by their place, not by these numbers. */
const COORDINATES = /^_geojson\.(?:.*\.)?coordinates$/s;

export class ColumnNumbers implements ColumnNames {
  readonly #settings: Settings;
  readonly #rules: ColumnRules;
  readonly #points: boolean;
  readonly #geometries: boolean;
  readonly #isKnown: (name: string) => boolean;
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** `isKnown`: tells whether the segments already have a column of that name. */
  constructor(settings: Settings, isKnown: (name: string) => boolean = () => false) {
    this.#settings = settings;
    this.#isKnown = isKnown;
    this.#rules = columnRules(settings);
    this.#points = hasPoints(settings);
    this.#geometries = filtersShapes(settings);
  }

  /** True when no field can have a column. */
  get isIdle(): boolean {
    return this.#rules.names.length === 0 && this.#rules.patterns.length === 0;
  }

  /** Answer for the walker (the `column` import). @throws TarsierError `max_fields_limit_exceeded` */
  numberOf(name: string): number {
    if (isWithoutColumn(name) || !hasColumn(this.#rules, name)) return COLUMN_NONE;
    if (this.#isKnown(name)) return COLUMN_NONE;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#names.length >= COLUMNS_MAX) {
        throw new TarsierError("max_fields_limit_exceeded", { limit: COLUMNS_MAX });
      }
      number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    if (this.#points && name === "_geo") return number + COLUMN_POINT;
    if (this.#points && DEGREES.includes(name)) return number + COLUMN_DEGREES;
    return name === "_geojson" && this.#geometries ? number + COLUMN_GEOMETRY : number;
  }

  /** True when a field, or one below it, can have a column. */
  covers(name: string): boolean {
    if (isWithoutColumn(name)) return false;
    return hasColumn(this.#rules, name) || hasColumnsBelow(this.#rules, name);
  }

  name(column: number): string {
    return this.#names[column];
  }

  isListed(column: number): boolean {
    return filterFeatures(this.#settings, this.#names[column]) !== null;
  }
}

/** Fields that documents may also write as texts (geo.ts). */
export const DEGREES: readonly string[] = ["_geo.lat", "_geo.lng"];

const isWithoutColumn = (name: string): boolean => covers(VECTORS_FIELD, name) || COORDINATES.test(name);
