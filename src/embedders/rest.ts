// Vectors from a provider that takes JSON over POST. Made by embedders.ts from a description by presets.ts.
import { type CallFailure, callProvider, isRefusal, withoutHeaders } from "./calls.ts";
import type { EmbedderOptions } from "./embedder.ts";
import { AnswerMistake, extractVectors } from "./extraction.ts";
import { fillTemplate, type JsonTemplate } from "./jsontemplate.ts";
import type { Lane } from "./lane.ts";
import type { RestDescription } from "./presets.ts";
import type { SourceOptions, VectorSource } from "./source.ts";
import { cutToBytes } from "./texts.ts";

export class RestSource implements VectorSource {
  readonly batchLength: number;
  readonly knownDimensions: number | null;
  readonly #embedder: string;
  readonly #description: RestDescription;
  readonly #lane: Lane;
  readonly #options: EmbedderOptions;

  constructor(embedder: string, description: RestDescription, lane: Lane, options: EmbedderOptions) {
    this.#embedder = embedder;
    this.#description = description;
    this.#lane = lane;
    this.#options = options;
    this.knownDimensions = description.dimensions;
    this.batchLength = description.request.repeated === null ? 1 : BATCH_LENGTH;
  }

  async embed(texts: readonly string[], options: SourceOptions): Promise<Float32Array[]> {
    try {
      return await this.#embedOnce(texts, options);
    } catch (error) {
      if (texts.length !== 1 || !isRefusal(error)) throw error;
      return this.#embedShorter(texts[0], options, error);
    }
  }

  /**
   * Tries shorter and shorter beginnings. How many bytes a token has on average depends on the language: from
   * four down to one, which always fits.
   */
  async #embedShorter(text: string, options: SourceOptions, refusal: CallFailure): Promise<Float32Array[]> {
    const { tokensMax } = this.#description;
    let last = refusal;
    for (const tokenBytes of tokensMax === null ? [] : TOKEN_BYTES) {
      const shorter = cutToBytes(text, Number(tokensMax) * tokenBytes);
      if (shorter.length === text.length) continue;
      try {
        return await this.#embedOnce([shorter], options);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        last = error;
      }
    }
    throw last;
  }

  async #embedOnce(texts: readonly string[], options: SourceOptions): Promise<Float32Array[]> {
    const { url, headers, request, response, takesFragments, hints } = this.#description;
    const { client, requestTimeoutMs, retryWaitMs } = this.#options;
    const inputs = takesFragments ? texts.map((text) => JSON.parse(text)) : texts;
    const body = JSON.stringify(fillTemplate(request, inputs));
    const vectorBytes = (options.dimensions ?? DIMENSIONS_MOST) * NUMBER_BYTES_MAX;
    return callProvider({
      client,
      url,
      headers,
      hints,
      embedder: this.#embedder,
      lane: this.#lane,
      body,
      timeoutMs: requestTimeoutMs,
      waitMsMax: retryWaitMs,
      deadline: options.deadline,
      answerBytesMax: REST_BYTES_MAX + texts.length * vectorBytes + ESCAPE_BYTES_MAX * body.length,
      signal: options.signal,
      statistics: options.calls,
      read: (answer) => {
        const vectors = vectorsIn(answer, response, texts.length, headers);
        const problem = options.complaint?.(vectors) ?? null;
        if (problem !== null) throw new AnswerMistake(problem);
        return vectors;
      },
    });
  }
}

/** Throws an AnswerMistake. */
function vectorsIn(
  answer: unknown,
  template: JsonTemplate,
  count: number,
  headers: Record<string, string>,
): Float32Array[] {
  const vectors = vectorsOf(template, answer, count);
  if (Array.isArray(vectors)) return vectors;
  // The complaint is about the answer with keys masked: it is shortened, and a key cut in two could not be
  // masked.
  const shown = vectorsOf(template, withoutKeys(answer, headers), count);
  throw Array.isArray(shown) ? vectors : shown;
}

function vectorsOf(template: JsonTemplate, answer: unknown, count: number): Float32Array[] | AnswerMistake {
  try {
    return extractVectors(template, answer, count);
  } catch (error) {
    if (error instanceof AnswerMistake) return error;
    throw error;
  }
}

function withoutKeys(answer: unknown, headers: Record<string, string>): unknown {
  return JSON.parse(JSON.stringify(answer), (_name, value: unknown) =>
    typeof value === "string" ? withoutHeaders(value, headers) : value,
  );
}

/** Bytes of a number in an answer, with the white space that may surround it. */
const NUMBER_BYTES_MAX = 64;
/** More than any model has. */
const DIMENSIONS_MOST = 2 ** 14;
/** Bytes of a character, which some providers repeat escaped. */
const ESCAPE_BYTES_MAX = 6;
/** Bound of an answer besides its vectors: parsing a large one blocks the thread that answers everybody. */
const REST_BYTES_MAX = 2 ** 20;
/** Texts in one call, if the provider takes several. */
const BATCH_LENGTH = 10;
const TOKEN_BYTES = [4, 2, 1];
