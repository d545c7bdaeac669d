// Renewed certificates: the files that the options of HTTPS name are looked at again and again, and new
// connections get what is in them. Called by server.ts, on Node: other runtimes cannot change the certificate
// of a server that listens.
import type { Server } from "node:tls";
import { messageOf } from "../errors.ts";
import { IS_NODE } from "../runtime.ts";
import type { App } from "./app.ts";
import { readTls, stateOfFiles, type Tls } from "./tls.ts";

const LOOK_MS = 60_000;

export interface RenewalListener {
  onRenewed(): void;
  /** New files cannot be used; the server goes on with what it has. `reason`: one sentence. */
  onRefused(reason: string): void;
}

export class TlsRenewal {
  #tls: Tls;
  readonly #listener: RenewalListener;
  /** State of the files when they were last read. */
  #seen: string;

  /** `tls`: what was read from the files; they may have changed since. */
  constructor(tls: Tls, listener: RenewalListener) {
    this.#tls = tls;
    this.#listener = listener;
    this.#seen = tls.state;
  }

  /** What counts for new connections. */
  get tls(): Tls {
    return this.#tls;
  }

  /** Looks at the files until the application is closed. */
  watch(app: App): void {
    if (!IS_NODE) return;
    const timer = setInterval(() => this.#look(app.server as unknown as Server), LOOK_MS);
    timer.unref();
    app.addHook("onClose", async () => clearInterval(timer));
  }

  #look(server: Server): void {
    const state = stateOfFiles(this.#tls.source);
    if (state === this.#seen) return;
    this.#seen = state;
    try {
      const renewed = readTls(this.#tls.source)!;
      server.setSecureContext(renewed.options);
      this.#tls = renewed;
      this.#listener.onRenewed();
    } catch (error) {
      // Half of the files may be there: the rest will change their state again.
      this.#listener.onRefused(messageOf(error));
    }
  }
}
