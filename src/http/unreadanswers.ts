// Long answers, of all connections, that were given but not read yet. They wait in memory as long as their
// clients take; when there are too many, the connections that hold most of it for longest are ended. Called
// by connections.ts.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Answer {
  readonly bytes: number;
  readonly givenAt: number;
}

/** A client that reads at all has read much of an answer by then. */
const PATIENCE_MS = 1000;

export class UnreadAnswers {
  readonly #bytesMax: number;
  /** Only connections that have had long answers. */
  readonly #bySocket = new Map<Socket, Set<Answer>>();
  #bytes = 0;

  /** `bytesMax`: of all answers together; exceeded while all of them are new. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Counts an answer until it is sent or its connection has ended. */
  add(socket: Socket, response: ServerResponse, bytes: number): void {
    const answers = this.#bySocket.get(socket) ?? this.#open(socket);
    const answer = { bytes, givenAt: performance.now() };
    answers.add(answer);
    this.#bytes += bytes;
    response.once("close", () => this.#forget(answers, answer));
    while (this.#bytes > this.#bytesMax && this.#endWorst());
  }

  #open(socket: Socket): Set<Answer> {
    const answers = new Set<Answer>();
    this.#bySocket.set(socket, answers);
    // An answer that waits behind the one being sent never emits `close` itself.
    socket.once("close", () => this.#close(socket));
    return answers;
  }

  #close(socket: Socket): void {
    const answers = this.#bySocket.get(socket);
    // Removed one by one: an answer that was being sent still emits `close` later, and must not be subtracted
    // twice.
    for (const answer of answers ?? []) this.#forget(answers!, answer);
    this.#bySocket.delete(socket);
  }

  #forget(answers: Set<Answer>, answer: Answer): void {
    if (answers.delete(answer)) this.#bytes -= answer.bytes;
  }

  /** Ends the connection whose answers have the most byte seconds; false if all answers are new. */
  #endWorst(): boolean {
    const now = performance.now();
    let worst: Socket | null = null;
    let most = 0;
    for (const [socket, answers] of this.#bySocket) {
      let cost = 0;
      for (const { bytes, givenAt } of answers)
        if (now - givenAt >= PATIENCE_MS) cost += bytes * (now - givenAt);
      if (cost > most) [worst, most] = [socket, cost];
    }
    if (worst === null) return false;
    this.#close(worst);
    worst.destroy();
    return true;
  }
}
