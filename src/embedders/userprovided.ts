// The embedder of source userProvided: documents and searches bring their own vectors. Made by embedders.ts.
import type { TarsierError } from "../errors.ts";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { distributionOf } from "./defaults.ts";
import { defaultText, shownFields } from "./documenttext.ts";
import type {
  Distribution,
  Embedder,
  EmbedderOptions,
  EmbedderQuery,
  Prompt,
  PromptDocument,
} from "./embedder.ts";
import { userFault } from "./faults.ts";

type Shared = Pick<EmbedderOptions, "failureModes" | "log">;

export class UserProvidedEmbedder implements Embedder {
  readonly name: string;
  readonly settings: EmbedderSettings;
  readonly inputs = "none";
  readonly distribution: Distribution | null;
  readonly #shared: Shared;

  constructor(name: string, settings: EmbedderSettings, shared: Shared) {
    this.name = name;
    this.settings = settings;
    this.#shared = shared;
    this.distribution = distributionOf(settings);
  }

  async dimensions(): Promise<number> {
    return this.settings.dimensions as number;
  }

  async check(): Promise<void> {}

  /** The whole text, as it is not known how much of it the user's model takes. */
  promptsOf({ fields, isSearchable }: PromptDocument): Prompt[] {
    const text = defaultText(shownFields(fields), isSearchable, Number.POSITIVE_INFINITY);
    return [{ fragment: null, text }];
  }

  async embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throw userFault(
      this.name,
      "its source is `userProvided`: documents must bring their vectors in `_vectors`",
    );
  }

  excuses({ message }: TarsierError): boolean {
    const isExcused = this.#shared.failureModes.includes("ignore_embedder_failures");
    if (isExcused) this.#shared.log(message);
    return isExcused;
  }

  async embedQuery({ q }: EmbedderQuery): Promise<Float32Array> {
    const asked = q ? `the query \`${q}\`` : "a query";
    throw userFault(this.name, `its source is \`userProvided\`: ${asked} must come with its \`vector\``);
  }
}
