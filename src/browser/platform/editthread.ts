// Replaces src/engine/editthread.ts in browsers: there the worker that writes runs edit functions itself,
// within the bounds of the interpreter. A step of the interpreter that never ends can only be ended with the
// page.
import { type Edit, EditFunction, loadInterpreter } from "../../engine/edit/editfunction.ts";

export class EditThread {
  readonly #edit: EditFunction;

  /** @throws EditFailure when it does not compile */
  static async open(source: string, context: unknown, signal: AbortSignal): Promise<EditThread> {
    await loadInterpreter();
    signal.throwIfAborted();
    return new EditThread(EditFunction.compile(source, context));
  }

  private constructor(edit: EditFunction) {
    this.#edit = edit;
  }

  /** @throws EditFailure */
  async run(documents: readonly string[], signal: AbortSignal): Promise<Edit[]> {
    signal.throwIfAborted();
    return this.#edit.run(documents);
  }

  close(): void {
    this.#edit.close();
  }
}
