// How tasks, batches and journal records become bytes: MessagePack, each value complete in itself.
import { Packr } from "msgpackr";

// Plain maps instead of msgpackr's shared record structures: any record can be read without those before it.
const packr = new Packr({ useRecords: false });

/** A copy of its own, safe to keep. */
export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

export function unpack<Value>(bytes: Uint8Array): Value {
  return packr.unpack(bytes) as Value;
}
