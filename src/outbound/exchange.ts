// One request to another server, and the answer as it arrives. Uses the dispatcher interface of the HTTP
// library: a stream for each answer and a signal for each request would cost as much as all the rest. Begun
// by client.ts.
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { OutboundFailure } from "./failure.ts";
import { withoutSecrets } from "./urls.ts";

/** Any answer but a redirect, whatever its status. */
export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case; headers that occur several times are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type ExchangeBody = string | Uint8Array | Readable | null;

type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects with an OutboundFailure, or with an error of the library. */
  readonly answer: Promise<OutboundAnswer>;
  readonly #sent: ExchangeBody;
  readonly #bytesMax: number;
  #resolve!: (answer: OutboundAnswer) => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | null = null;
  /** Why it was stopped; null: it was not. */
  #stopped: OutboundFailure | null = null;
  #status: number | null = null;
  #headers: AnswerHeaders = {};
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  /** `sent`: the body of the request. `bytesMax`: bound of the answer. */
  constructor(sent: ExchangeBody, bytesMax: number) {
    this.#sent = sent;
    this.#bytesMax = bytesMax;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may be stopped before anybody awaits the answer.
    this.answer.catch(() => {});
  }

  /** Status of the answer; null until it begins. */
  get status(): number | null {
    return this.#status;
  }

  /**
   * Stops the exchange at any stage. The caller is told at once: a connection being made may take longer to
   * end.
   */
  stop(failure: OutboundFailure): void {
    if (this.#stopped) return;
    this.#stopped = failure;
    this.fail(failure);
    this.#controller?.abort(failure);
  }

  /** Call it when there will be no answer. Drops what was still to be sent. */
  fail(error: unknown): void {
    this.#reject(error);
    this.#pieces.length = 0;
    if (this.#sent instanceof Readable) this.#sent.on("error", () => {}).destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped) controller.abort(this.#stopped);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Informational answers say nothing.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (isRedirect(status)) this.stop(redirection(status, headers.location));
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#stopped) return;
    this.#bytes += piece.length;
    if (this.#bytes <= this.#bytesMax) this.#pieces.push(piece);
    else this.stop(new OutboundFailure("size", `the answer has more than ${this.#bytesMax} bytes`));
  }

  onResponseEnd(): void {
    const body = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces, this.#bytes);
    this.#resolve({ status: this.#status!, headers: joined(this.#headers), body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399 && status !== 304;

function redirection(status: number, location: string | string[] | undefined): OutboundFailure {
  const target = location === undefined ? "elsewhere" : `to \`${withoutSecrets(String(location))}\``;
  return new OutboundFailure("redirect", `the answer ${status} leads ${target}`);
}

function joined(headers: AnswerHeaders): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value = ""]) => {
    return [name, typeof value === "string" ? value : value.join(", ")];
  });
  return Object.fromEntries(texts);
}
