// Takes the place of test/runtime/process.ts in pages: programs are workers, and folders lie in the browser.

/** The address that stands for the folder of the build: the door lies below it. */
export const BUILD = new URL("/", location.href);

/** The one program there is: a worker that writes until it is ended. */
export class Program {
  output = "";
  readonly #worker: Worker;
  readonly #failure: Promise<never>;

  constructor(_file: URL, [folder]: readonly string[]) {
    this.#worker = new Worker(`/writer.worker.js#${folder}`, { type: "module" });
    this.#worker.onmessage = ({ data }) => {
      this.output += data;
    };
    this.#failure = new Promise((_resolve, reject) => {
      this.#worker.onerror = ({ message }) => reject(new Error(`the writer failed: ${message}`));
    });
  }

  async says(text: string): Promise<void> {
    while (!this.output.includes(text))
      await Promise.race([this.#failure, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
  }

  /** Ends it wherever it is, and the worker of its store with it. */
  async kill(): Promise<void> {
    this.#worker.terminate();
  }
}

const POLL_MS = 10;

export async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const name = crypto.randomUUID();
  await run(name);
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(name, { recursive: true });
}
