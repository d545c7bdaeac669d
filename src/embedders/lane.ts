// How many calls may be under way to one provider with one key: as many as it can take. An answer "too many
// requests" halves the number and holds back further calls for a while; every other answer raises it again, a
// little at a time. Shared by all embedders with that address and key.
import { later, type Timer } from "../later.ts";

export class Lane {
  #width = WIDTH_MAX;
  #inside = 0;
  #closedUntil = 0;
  #timer: Timer | null = null;
  readonly #waiting: (() => void)[] = [];

  /**
   * Resolves when a call may begin; call the result when it has ended. A call that somebody waits for (a
   * search) goes ahead of all others and is not held back.
   */
  async enter(isUrgent: boolean, signal?: AbortSignal): Promise<() => void> {
    if (isUrgent || this.#isOpen()) this.#inside++;
    else await this.#wait(signal);
    return () => {
      this.#inside--;
      this.#admit();
    };
  }

  /** Call it when the provider wants fewer calls, and none for this time. */
  narrow(pauseMs: number): void {
    this.#width = Math.max(1, this.#width / 2);
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + pauseMs);
  }

  widen(): void {
    this.#width = Math.min(WIDTH_MAX, this.#width + 1 / this.#width);
  }

  #isOpen(): boolean {
    return this.#inside < Math.floor(this.#width) && performance.now() >= this.#closedUntil;
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        this.#inside++;
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(enter);
      this.#admit();
    });
  }

  /** Lets in as many calls as there is room for. */
  #admit(): void {
    const pauseMs = this.#closedUntil - performance.now();
    if (pauseMs > 0) {
      this.#timer ??= later(() => {
        this.#timer = null;
        this.#admit();
      }, pauseMs);
      return;
    }
    const room = Math.floor(this.#width) - this.#inside;
    for (const enter of this.#waiting.splice(0, Math.max(0, room))) enter();
  }
}

export const WIDTH_MAX = 40;
