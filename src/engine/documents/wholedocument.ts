// Whether a stored document is shown as it is: then its bytes are copied, and nobody looks into them. Called
// where documents are read one after another.
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Segment } from "../../segment/segment.ts";

/** Vectors are kept apart from the other fields: a document that holds them is never shown whole. */
export const isShownWhole = (segment: Segment, ordinal: number): boolean =>
  !segment.meta.shapes[segment.shapeOf(ordinal)].includes(VECTORS_FIELD);
