// The two forms of a set of documents; a missing one is made when it is asked for. Called by the rules.
import { bitmapFromList, bitmapToList } from "../bitmap";
import { alloc, allocRecord } from "./arena";
import { newBitmap } from "./bitmaps";
import { bitmapWords } from "./context";
import { Documents } from "./records";

export function newDocuments(count: u32, list: usize, bitmap: usize): Documents {
  const documents = changetype<Documents>(allocRecord(offsetof<Documents>()));
  documents.count = count;
  documents.list = list;
  documents.bitmap = bitmap;
  return documents;
}

export function bitmapOf(documents: Documents): usize {
  if (!documents.bitmap) {
    documents.bitmap = newBitmap();
    bitmapFromList(documents.bitmap, bitmapWords, documents.list, documents.count);
  }
  return documents.bitmap;
}

export function listOf(documents: Documents): usize {
  if (!documents.list) {
    documents.list = alloc(((<usize>documents.count) << 2) + 16);
    bitmapToList(documents.bitmap, bitmapWords, 0, documents.list, documents.count);
  }
  return documents.list;
}
