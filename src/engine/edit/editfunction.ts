// A function that edits documents, compiled in a sandbox of its own (QuickJS, in WebAssembly) with bounds on
// memory, stack and time. It sees only what it is given: no files, no network, no timers. Its time is checked
// between two steps of the interpreter, and a single step may take for ever. So src/operations only compiles
// it, to refuse functions that do not compile; it runs in a thread that can be terminated (editthread.ts).
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { TarsierError } from "../../errors.ts";
import { rewritten } from "./habits.ts";
import { EDITOR } from "./prelude.ts";
import { translated } from "./translation.ts";

/**
 * What became of a document: kept as it was, deleted, or its fields; a field without a value is as it was.
 */
export type Edit = "kept" | "deleted" | readonly (readonly [name: string, value?: unknown])[];

interface SandboxBounds {
  memoryBytes: number;
  stackBytes: number;
  /** Limit for compiling, and for one call with several documents. */
  timeMs: number;
}

export const SANDBOX_BOUNDS: SandboxBounds = {
  memoryBytes: 64 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  timeMs: 5_000,
};
/** Longest source of a function. */
const SOURCE_CHARACTERS_MAX = 64 * 2 ** 10;

const SOURCE_NAME = "function";

/** Documents, each given as JSON, as a list in JSON. */
export const listOf = (documents: readonly string[]): string => `[${documents.join(",")}]`;

type Outcome = 0 | 1 | (string | [name: string, value: unknown])[];

/** The answer of a function (prelude.ts), as it is read. */
export function editsOf(answer: string): Edit[] {
  return (JSON.parse(answer) as Outcome[]).map((outcome) => {
    if (outcome === 0) return "kept";
    if (outcome === 1) return "deleted";
    return outcome.map((field): Exclude<Edit, string>[number] =>
      typeof field === "string" ? [field] : field,
    );
  });
}

let quickjs: QuickJSWASMModule | null = null;

/** Loads the interpreter at first use; to be awaited before a function is compiled. */
export async function loadInterpreter(): Promise<void> {
  if (quickjs) return;
  const [{ newQuickJSWASMModuleFromVariant }, variant] = await Promise.all([
    import("quickjs-emscripten-core"),
    import("@jitl/quickjs-singlefile-mjs-release-sync"),
  ]);
  quickjs = await newQuickJSWASMModuleFromVariant(variant.default);
}

/**
 * Runs nothing of the source: the calling thread serves all requests.
 * @throws TarsierError `bad_request` for a source that does not compile
 */
export async function checkEditFunction(source: string): Promise<void> {
  while (!quickjs) await loadInterpreter();
  try {
    EditFunction.parse(source);
  } catch (error) {
    if (!(error instanceof EditFailure)) throw error;
    throw new TarsierError("bad_request", { message: `The function does not compile: ${error.message}` });
  }
}

/** Why a function failed that had not ended when its time was over. */
export const lateness = (timeMs: number): string => `it took longer than ${timeMs} ms`;

/** Why a function failed, and at which of the documents it was given; null when unknown. */
export class EditFailure extends Error {
  readonly at: number | null;

  constructor(reason: string, at: number | null = null) {
    super(reason);
    this.at = at;
  }
}

export class EditFunction {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #timeMs: number;
  #edit: QuickJSHandle | null = null;

  /** @throws EditFailure when the source does not compile */
  static parse(source: string): void {
    new EditFunction(SANDBOX_BOUNDS).#doOrClose((it) => it.#parse(source)).close();
  }

  /**
   * Source text that closes the function wrapped around it runs already here.
   * @throws EditFailure when the source does not compile
   */
  static compile(source: string, context: unknown, bounds = SANDBOX_BOUNDS): EditFunction {
    return new EditFunction(bounds).#doOrClose((it) => {
      it.#edit = it.#compile(it.#parse(source), context);
    });
  }

  private constructor(bounds: SandboxBounds) {
    this.#runtime = quickjs!.newRuntime();
    this.#runtime.setMemoryLimit(bounds.memoryBytes);
    this.#runtime.setMaxStackSize(bounds.stackBytes);
    this.#context = this.#runtime.newContext();
    this.#timeMs = bounds.timeMs;
  }

  /**
   * Runs the function on documents, each given as JSON.
   * @throws EditFailure
   */
  run(documents: readonly string[]): Edit[] {
    return editsOf(this.answer(listOf(documents)));
  }

  /**
   * The same for a list of documents as one text (`listOf`), with an answer that `editsOf` reads: texts pass
   * between threads in a fraction of the time.
   * @throws EditFailure
   */
  answer(documents: string): string {
    const answer = this.#withinBounds(() => this.#call(this.#edit!, documents));
    const text = answer.consume((handle) => this.#context.getString(handle));
    if (text.startsWith("[")) return text;
    const { reason, at } = JSON.parse(text);
    throw new EditFailure(reason, at);
  }

  close(): void {
    try {
      this.#edit?.dispose();
      this.#context.dispose();
      this.#runtime.dispose();
    } catch {
      // The rest of this interpreter is of no use: the next function gets a new one.
      quickjs = null;
    }
  }

  #doOrClose(act: (it: this) => void): this {
    try {
      this.#withinBounds(() => act(this));
      return this;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #withinBounds<T>(run: () => T): T {
    const end = performance.now() + this.#timeMs;
    let isLate = false;
    this.#runtime.setInterruptHandler(() => {
      isLate = performance.now() > end;
      return isLate;
    });
    try {
      return run();
    } catch (error) {
      if (isLate) throw new EditFailure(lateness(this.#timeMs));
      // The stack of the thread may overflow before that of the interpreter does.
      if (error instanceof RangeError) throw new EditFailure(`it nests too deep: ${error.message}`);
      throw error;
    }
  }

  /** The translated source, once it is known to compile as the body of a function. */
  #parse(source: string): string {
    if (source.length > SOURCE_CHARACTERS_MAX)
      throw new EditFailure(`it has ${source.length} characters, more than ${SOURCE_CHARACTERS_MAX}`);
    try {
      return this.#parseBody(translated(rewritten(source)));
    } catch (error) {
      if (!(error instanceof EditFailure)) throw error;
      // It may be JavaScript that was mistaken for Rhai. Anything else would be half translated.
      try {
        this.#parseBody(source);
      } catch {
        throw error;
      }
      return this.#parseBody(translated(source));
    }
  }

  #parseBody(body: string): string {
    // Not nested in another function: this way a second declaration of `doc` is refused.
    const code = `(function (doc, context) {"use strict";\n${body}\n})`;
    this.#unwrap(this.#context.evalCode(code, SOURCE_NAME, { compileOnly: true })).dispose();
    return body;
  }

  #compile(body: string, context: unknown): QuickJSHandle {
    const editor = this.#unwrap(this.#context.evalCode(EDITOR));
    try {
      return this.#call(editor, body, JSON.stringify(context ?? null));
    } finally {
      editor.dispose();
    }
  }

  #call(callee: QuickJSHandle, ...texts: string[]): QuickJSHandle {
    const handles = texts.map((text) => this.#context.newString(text));
    try {
      return this.#unwrap(this.#context.callFunction(callee, this.#context.undefined, ...handles));
    } finally {
      for (const handle of handles) handle.dispose();
    }
  }

  #unwrap(result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle {
    if (result.error === undefined) return result.value;
    const error = result.error.consume((handle) => this.#context.dump(handle));
    const isError = typeof error === "object" && error !== null && "message" in error;
    throw new EditFailure(
      isError ? `${error.name}: ${error.message}` : (JSON.stringify(error) ?? "no reason"),
    );
  }
}
