// Evaluates conditions on vectors (vectorparse.ts): which documents have vectors, and where these come from.
// Called by check.ts and evaluate.ts.
import { hasFragments } from "../../embedders/defaults.ts";
import type { ErrorCode } from "../../errors.ts";
import { nameList } from "../../schemas/phrases.ts";
import type { Settings } from "../../schemas/settings.ts";
import { FLAG_REGENERATE, FLAG_USER_PROVIDED } from "../../segment/vectorformat.ts";
import type { VectorStore } from "../../segment/vectorstore.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { Filter, Token } from "./expression.ts";
import { filterError } from "./failures.ts";

type Condition = Extract<Filter, { kind: "vectors" }>;

/** @throws TarsierError of `code` for an embedder or a fragment that does not exist */
export function checkVectorCondition(
  { embedder, part }: Condition,
  { embedders }: Settings,
  code: ErrorCode,
): void {
  if (!embedder) return;
  if (!Object.hasOwn(embedders, embedder.text))
    throw unknown("embedder", embedder, Object.keys(embedders), code);
  if (part?.kind !== "fragment") return;
  const fragments = Object.keys(embedders[embedder.text].indexingFragments ?? {});
  if (!fragments.includes(part.fragment.text)) throw unknown("fragment", part.fragment, fragments, code);
}

function unknown(what: string, { text, ...place }: Token, known: readonly string[], code: ErrorCode) {
  const rest = known.length > 0 ? `available ones are: ${nameList(known)}` : "there is none";
  return filterError(code, `The ${what} \`${text}\` does not exist: ${rest}.`, place);
}

/** Evaluates into a new bitmap. */
export function documentsWithVectors(bitmaps: Bitmaps, { embedder, part }: Condition): number {
  const { reader } = bitmaps;
  const { embedders } = reader.settings;
  const result = bitmaps.create();
  const names = embedder ? [embedder.text] : Object.keys(embedders);
  if (part?.kind === "documentTemplate" && hasFragments(embedders[names[0]])) return result;
  const slot = part?.kind === "fragment" ? slotOf(bitmaps, names[0], part.fragment.text) : -1;
  const { core } = reader.share;
  for (const open of reader.segments) {
    for (const store of open.segment.vectors()) {
      if (!names.includes(store.meta.embedder)) continue;
      const docids = store.docids >>> 2;
      const holds = holder(store, part?.kind ?? "any", slot);
      for (let place = 0; place < store.meta.documents; place++) {
        const docid = core.u32[docids + place];
        if (holds(place) && reader.livesIn(open, docid)) core.exports.bitmapSet(result, docid);
      }
    }
  }
  return result;
}

function slotOf({ reader }: Bitmaps, embedder: string, fragment: string): number {
  return reader.state.embedders[embedder].fragments.indexOf(fragment);
}

type Kind = NonNullable<Condition["part"]>["kind"] | "any";

/** Tells whether the condition holds for the document at a place. */
function holder(store: VectorStore, kind: Kind, slot: number): (place: number) => boolean {
  const { u8 } = store.core;
  const { flags, slots } = store;
  const has = (place: number, flag: number) => (u8[flags + place] & flag) !== 0;
  const hasSome = (place: number) => {
    const [from, to] = store.range(place);
    return from < to;
  };
  switch (kind) {
    case "any":
      return hasSome;
    case "userProvided":
      return (place) => has(place, FLAG_USER_PROVIDED);
    case "documentTemplate":
      return (place) => hasSome(place) && !has(place, FLAG_USER_PROVIDED);
    case "regenerate":
      return (place) => hasSome(place) && has(place, FLAG_REGENERATE);
    case "fragment":
      return (place) => {
        const [from, to] = store.range(place);
        return !has(place, FLAG_USER_PROVIDED) && u8.subarray(slots + from, slots + to).includes(slot);
      };
  }
}
