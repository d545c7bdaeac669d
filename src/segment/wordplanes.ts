// Planes of dictionaries (assembly/fuzzy-planes.ts): copies of the beginnings of their terms, with which typo
// look-ups take less than half the time. Made when a dictionary is asked for near words a second time, one
// after another in memory of their own; one instance for each search thread.
import type { Core } from "../core/core.ts";
import { DICTIONARY_CURSOR_BYTES } from "../core/dictionary.ts";

/** Walking over fewer terms is quick enough. */
const TERMS_MIN = 2048;
/** Planes that were not used for this many turns (searches) may be given up in favour of others. */
const TURNS_KEPT = 64;
/** All planes are given up if those in use would fill at most this part of the room. */
const USED_PART_MAX = 0.75;

interface Planes {
  pointer: number;
  bytes: number;
  /** The last turn that used them. */
  turn: number;
}

export class WordPlanes {
  readonly #core: Core;
  readonly #start: number;
  readonly #bytes: number;
  readonly #cursor: number;
  /** Planes by owner. Owners are not kept alive: a segment may be closed long before the room is needed. */
  #byOwner = new WeakMap<object, Planes>();
  #made: Planes[] = [];
  #taken = 0;
  /** Owner -> the first turn that asked for planes. */
  readonly #asked = new WeakMap<object, number>();

  /** Takes `bytes` of the core, and room for a cursor. */
  constructor(core: Core, bytes: number) {
    this.#core = core;
    this.#bytes = bytes;
    this.#start = core.reserve(bytes);
    this.#cursor = core.reserve(DICTIONARY_CURSOR_BYTES);
  }

  /**
   * Address of the planes of a dictionary of `owner` at address `dictionary`, valid until the next call; 0
   * when it has none: it is small, there is no room, or this is its first turn. Making them takes as long as
   * several look-ups without them, and the first search after a start would have to wait for that.
   */
  of(owner: object, dictionary: number, turn: number): number {
    const known = this.#byOwner.get(owner);
    if (known) {
      known.turn = turn;
      return known.pointer;
    }
    const { dictionaryCount, dictionaryPlanes, dictionaryPlanesBytes } = this.#core.exports;
    if (dictionaryCount(dictionary) < TERMS_MIN || this.#isFirstAsked(owner, turn)) return 0;
    const bytes = dictionaryPlanesBytes(dictionary);
    if (this.#taken + bytes > this.#bytes && !this.#makeRoom(bytes, turn)) return 0;
    const planes = { pointer: this.#start + this.#taken, bytes, turn };
    dictionaryPlanes(dictionary, planes.pointer, this.#cursor);
    this.#taken += bytes;
    this.#made.push(planes);
    this.#byOwner.set(owner, planes);
    return planes.pointer;
  }

  #isFirstAsked(owner: object, turn: number): boolean {
    const first = this.#asked.get(owner);
    if (first === undefined) this.#asked.set(owner, turn);
    return first === undefined || first === turn;
  }

  /**
   * Gives up all planes, provided that those in use would fit again together with `bytes` more and leave
   * enough room.
   */
  #makeRoom(bytes: number, turn: number): boolean {
    let used = 0;
    for (const planes of this.#made) if (planes.turn >= turn - TURNS_KEPT) used += planes.bytes;
    if (used + bytes > this.#bytes * (used > 0 ? USED_PART_MAX : 1)) return false;
    this.#made = [];
    this.#byOwner = new WeakMap();
    this.#taken = 0;
    return true;
  }
}
