// What a batch says about the vectors of one document, apart from its content. Called by batchdocuments.ts.
import { TarsierError } from "../../errors.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { ChangedDocument, DocumentPreparation, Members } from "../vectors/documentvectors.ts";
import { mentionsVectors } from "../vectors/given.ts";
import type { Changes, Piece } from "./changes.ts";
import type { Contents } from "./contents.ts";

/**
 * Null when the document has nothing to do with vectors and is stored as it came. In either case the content
 * may have moved to another place in memory afterwards.
 */
export function changedDocument(
  changes: Changes,
  contents: Contents,
  preparation: DocumentPreparation,
  entry: number,
  { pointer, length }: Located,
): ChangedDocument | null {
  const { core } = contents.scanner;
  const own = changes.pieces(entry);
  const keepsOld = changes.keepsOld(entry);
  // Looking at the pieces may overwrite the content in memory, unless it is joined from several pieces.
  const content = core.read(pointer, length);
  const id = changes.ids.string(entry);
  const all = changes.allPieces(entry);
  const contentFrom = all.length - own.length;
  const members = all.map((piece: Piece, at): Members => {
    const place = contents.locatePiece(piece);
    if (!piece.unclear && !mentionsVectors(contents.scanner, place.pointer, place.length)) return null;
    try {
      return preparation.membersOf(place, id);
    } catch (error) {
      // A piece that others have replaced since brings nothing that it could be refused for.
      if (at < contentFrom && error instanceof TarsierError) return null;
      throw error;
    }
  });
  if (preparation.isIdle && !keepsOld && members.every((part) => part === null)) return null;
  return {
    id,
    content,
    keepsOld,
    members,
    oldDocid: changes.keepsVectors(entry) ? changes.oldDocid(entry) : -1,
    contentFrom,
    contentAfter: (place) => contents.earlier(changes, entry, place + 1),
  };
}
