// Takes the place of src/engine/editthread.ts in browsers: there the worker that writes runs edit functions
// itself, within the bounds of the interpreter. One step of that which never ends, ends with the page.
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
