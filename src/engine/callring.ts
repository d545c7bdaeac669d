// Calls to a thread, and its answers, in memory that both share. Both ends live here; remote.ts uses them. A
// message between threads costs several times as much: it wakes the event loop of the other thread and is
// made of fresh objects. The answering thread sleeps in Atomics.wait, the calling one in its event loop.
//
// Memory:
//   0  u32 sent      calls put in so far
//   4  u32 answered  answers put in so far
//   8  u32 first     number of the first call of the newest bundle
//  12  u32 end       number behind its last one
//  16  slots, used in turn; an answer takes the slot of its call
// Slot:
//   0  u32 call      number of the call
//   4  u32 kind      of the content
//   8  u32 bytes     of the content
//  12  content
// Counts wrap around. Content that does not fit into a slot goes as a message; its slot says so.
//
// Waking the other thread often costs more than the answer itself. So calls that are sent in one turn of the
// event loop, such as those of one federated search, form a bundle: only the answer to the last one wakes the
// caller. Now and then calls of two requests are sent in one turn: then the first waits for the second.
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";

const SENT = 0;
const ANSWERED = 1;
const BUNDLE_FIRST = 2;
const BUNDLE_END = 3;
const RING_HEAD_BYTES = 16;
const SLOT_HEAD_BYTES = 12;
const SLOT_BYTES = 256 * 1024;
/**
 * Calls in the ring at a time; with two or more, the thread finds the next one waiting when it has answered.
 */
const SLOTS = 8;
/** A thread that had no call for this long lets its event loop turn, for what the runtime has to do there. */
const REST_MS = 200;
/** So does a thread that has answered this many calls without a pause. */
const CALLS_WITHOUT_REST_MAX = 500;

/** Kinds of contents. */
const MESSAGE = 0;
const JSON_TEXT = 1;
const BYTES = 2;
const FAILURE = 3;

interface RingCall {
  call: number;
  method: string;
  args: readonly unknown[];
}

/** Outcome of a call. A failure is plain data. */
export type RingAnswer = { value: unknown } | { failure: unknown };

/** What each end of a ring holds. `port`: for calls that do not fit into a slot. */
export interface RingEnd {
  memory: SharedArrayBuffer;
  port: MessagePort;
}

/** The calling end stays in this thread; the answering one is sent to the other (its port is transferred). */
export function newRing(): { calling: RingEnd; answering: RingEnd } {
  const memory = new SharedArrayBuffer(RING_HEAD_BYTES + SLOTS * SLOT_BYTES);
  const { port1, port2 } = new MessageChannel();
  return { calling: { memory, port: port1 }, answering: { memory, port: port2 } };
}

export class RingCaller {
  readonly #slots: Slots;
  readonly #port: MessagePort;
  readonly #answered: (call: number, answer: RingAnswer) => void;
  /** Calls waiting for a slot. */
  readonly #queue: RingCall[] = [];
  #sent = 0;
  #read = 0;
  #listens = false;
  #closed = false;
  /** Number of the first call sent in this turn of the event loop; null when none was. */
  #bundle: number | null = null;

  /** `answered` gets each answer, except those that come as messages. */
  constructor({ memory, port }: RingEnd, answered: (call: number, answer: RingAnswer) => void) {
    this.#slots = new Slots(memory);
    this.#port = port;
    this.#answered = answered;
  }

  send(call: RingCall): void {
    this.#queue.push(call);
    const first = this.#bundle;
    if (first === null) this.#beginBundle();
    this.#fill();
    if (first === null || this.#queue.length > 0) return;
    Atomics.store(this.#slots.counts, BUNDLE_FIRST, first);
    Atomics.store(this.#slots.counts, BUNDLE_END, this.#sent);
  }

  #beginBundle(): void {
    this.#bundle = (this.#sent + this.#queue.length - 1) | 0;
    process.nextTick(() => {
      this.#bundle = null;
    });
  }

  /** Called when the thread has ended: passes on the answers that it gave, and stops waiting for more. */
  close(): void {
    this.#tellAnswers();
    this.#closed = true;
    this.#port.close();
    Atomics.notify(this.#slots.counts, ANSWERED);
  }

  #fill(): void {
    const { counts } = this.#slots;
    while (this.#queue.length > 0 && ((this.#sent - this.#read) | 0) < SLOTS) {
      const { call, method, args } = this.#queue.shift()!;
      if (!this.#slots.writeText(this.#sent, call, JSON_TEXT, JSON.stringify([method, args]))) {
        this.#port.postMessage([method, args]);
        this.#slots.writeMessage(this.#sent, call);
      }
      this.#sent = (this.#sent + 1) | 0;
      Atomics.store(counts, SENT, this.#sent);
      Atomics.notify(counts, SENT);
    }
    if (!this.#listens && this.#read !== this.#sent) this.#listen();
  }

  #listen(): void {
    this.#listens = true;
    const { async, value } = waitAsync(this.#slots.counts, ANSWERED, this.#read);
    if (async) void value.then(() => this.#receive());
    else queueMicrotask(() => this.#receive());
  }

  #receive(): void {
    this.#listens = false;
    if (this.#closed) return;
    this.#tellAnswers();
    this.#fill();
  }

  #tellAnswers(): void {
    while (this.#read !== Atomics.load(this.#slots.counts, ANSWERED)) {
      const { call, kind, content } = this.#slots.read(this.#read);
      this.#read = (this.#read + 1) | 0;
      if (kind !== MESSAGE) this.#answered(call, answerOf(kind, content));
    }
  }
}

/**
 * The answering end: never returns. `run` executes a call; `tell` sends the answer as a message when it does
 * not fit into a slot.
 */
export async function answerRing(
  { memory, port }: RingEnd,
  run: (method: string, args: readonly unknown[]) => Promise<RingAnswer>,
  tell: (call: number, answer: RingAnswer) => void,
): Promise<never> {
  const slots = new Slots(memory);
  const { counts } = slots;
  let calls = 0;
  for (let answered = 0; ; ) {
    const isIdle =
      Atomics.load(counts, SENT) === answered &&
      Atomics.wait(counts, SENT, answered, REST_MS) === "timed-out";
    if (isIdle || ++calls % CALLS_WITHOUT_REST_MAX === 0) await new Promise(setImmediate);
    if (Atomics.load(counts, SENT) === answered) continue;
    const { call, kind, content } = slots.read(answered);
    const [method, args] =
      kind === MESSAGE ? receiveMessageOnPort(port)!.message : JSON.parse(Buffer.from(content).toString());
    const answer = await run(method, args);
    if (!writeAnswer(slots, answered, call, answer)) {
      tell(call, answer);
      slots.writeMessage(answered, call);
    }
    answered = (answered + 1) | 0;
    Atomics.store(counts, ANSWERED, answered);
    if (!isFollowed(counts, answered)) Atomics.notify(counts, ANSWERED);
  }
}

/**
 * Is the call before number `next` followed by others of its bundle? The end of a bundle is written only when
 * all calls before it are in the ring: so whichever pair of numbers is read here, the answer to one of them
 * wakes the caller.
 */
function isFollowed(counts: Int32Array, next: number): boolean {
  const [first, end] = [Atomics.load(counts, BUNDLE_FIRST), Atomics.load(counts, BUNDLE_END)];
  return ((next - first) | 0) > 0 && ((end - next) | 0) > 0;
}

/** False when the answer does not fit. */
function writeAnswer(slots: Slots, at: number, call: number, answer: RingAnswer): boolean {
  if ("failure" in answer) return slots.writeText(at, call, FAILURE, JSON.stringify(answer.failure));
  const { value } = answer;
  if (value instanceof Uint8Array) return slots.writeBytes(at, call, value);
  if (holdsBytes(value)) return false;
  return slots.writeText(at, call, JSON_TEXT, value === undefined ? "" : JSON.stringify(value));
}

/** Byte arrays beside or within other values cannot be JSON: those values go as a message. */
const holdsBytes = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).some((part) => part instanceof Uint8Array);

function answerOf(kind: number, content: Uint8Array): RingAnswer {
  if (kind === BYTES) return { value: content };
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  const value = text === "" ? undefined : JSON.parse(text);
  return kind === FAILURE ? { failure: value } : { value };
}

class Slots {
  readonly counts: Int32Array;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #encoder = new TextEncoder();

  constructor(memory: SharedArrayBuffer) {
    this.counts = new Int32Array(memory, 0, RING_HEAD_BYTES / 4);
    this.#words = new Int32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  /** False when the text does not fit. */
  writeText(at: number, call: number, kind: number, text: string): boolean {
    const from = slotAt(at);
    const room = this.#bytes.subarray(from + SLOT_HEAD_BYTES, from + SLOT_BYTES);
    // Each UTF-16 unit takes at least one byte: a text with more units than there is room cannot fit.
    if (text.length > room.length) return false;
    const { read, written } = this.#encoder.encodeInto(text, room);
    if (read < text.length) return false;
    this.#writeHead(from, call, kind, written);
    return true;
  }

  /** False when the bytes do not fit. */
  writeBytes(at: number, call: number, bytes: Uint8Array): boolean {
    if (bytes.length > SLOT_BYTES - SLOT_HEAD_BYTES) return false;
    const from = slotAt(at);
    this.#bytes.set(bytes, from + SLOT_HEAD_BYTES);
    this.#writeHead(from, call, BYTES, bytes.length);
    return true;
  }

  writeMessage(at: number, call: number): void {
    this.#writeHead(slotAt(at), call, MESSAGE, 0);
  }

  /** The content is a copy. */
  read(at: number): { call: number; kind: number; content: Uint8Array<ArrayBuffer> } {
    const from = slotAt(at);
    const word = from / 4;
    const start = from + SLOT_HEAD_BYTES;
    const content = new Uint8Array(this.#bytes.subarray(start, start + this.#words[word + 2]));
    return { call: this.#words[word], kind: this.#words[word + 1], content };
  }

  #writeHead(from: number, call: number, kind: number, bytes: number): void {
    const word = from / 4;
    this.#words[word] = call;
    this.#words[word + 1] = kind;
    this.#words[word + 2] = bytes;
  }
}

const slotAt = (at: number): number => RING_HEAD_BYTES + (at & (SLOTS - 1)) * SLOT_BYTES;

type WaitAsync = (
  words: Int32Array,
  at: number,
  value: number,
) => { async: true; value: Promise<string> } | { async: false; value: string };

/** Present in all runtimes, but not in the declarations of the language version that is compiled for. */
const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync };
