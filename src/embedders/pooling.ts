// How a huggingFace model combines the vectors of tokens into one: as the settings force it, else as the
// model says in 1_Pooling/config.json, else by their mean. Called by huggingface.ts.
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { readModelFile } from "./modelfile.ts";

/** `fetchText`: the text of a file of the model; null when there is none. */
export async function poolingOf(
  settings: EmbedderSettings,
  fetchText: (url: string) => Promise<string | null>,
): Promise<Pooling> {
  if (settings.pooling === "forceCls") return POOLINGS.pooling_mode_cls_token;
  if (settings.pooling === "forceMean") return POOLINGS.pooling_mode_mean_tokens;
  const text = await poolingFile(settings, fetchText);
  const config = text === null ? {} : (JSON.parse(text) as Record<string, unknown>);
  const mode = ORDER.find((name) => config[name] === true);
  return POOLINGS[mode ?? "pooling_mode_mean_tokens"];
}

/** The first of these that is true decides. */
const ORDER = [
  "pooling_mode_cls_token",
  "pooling_mode_mean_tokens",
  "pooling_mode_lasttoken",
  "pooling_mode_mean_sqrt_len_tokens",
  "pooling_mode_max_tokens",
] as const;

/** The token vectors lie one after the other, each `width` long. */
const POOLINGS: Record<(typeof ORDER)[number], Pooling> = {
  pooling_mode_cls_token: (tokens, width) => tokens.slice(0, width),
  pooling_mode_lasttoken: (tokens, width) => tokens.slice(tokens.length - width),
  pooling_mode_mean_tokens: (tokens, width) => sum(tokens, width, tokens.length / width),
  pooling_mode_mean_sqrt_len_tokens: (tokens, width) => sum(tokens, width, Math.sqrt(tokens.length / width)),
  pooling_mode_max_tokens: (tokens, width) => {
    const largest = tokens.slice(0, width);
    for (const [index, value] of tokens.entries()) {
      if (value > largest[index % width]) largest[index % width] = value;
    }
    return largest;
  },
};

function sum(tokens: Float32Array, width: number, divisor: number): Float32Array {
  const total = new Float64Array(width);
  for (const [index, value] of tokens.entries()) total[index % width] += value;
  return Float32Array.from(total, (value) => value / divisor);
}

async function poolingFile(
  { model = "", revision = "main" }: EmbedderSettings,
  fetchText: (url: string) => Promise<string | null>,
): Promise<string | null> {
  const isFolder = /^[./\\]|^[a-z]:[/\\]/i.test(model);
  if (!isFolder) return fetchText(`https://huggingface.co/${model}/raw/${revision}/${FILE}`);
  return readModelFile(model, FILE).catch(() => null);
}

const FILE = "1_Pooling/config.json";

/** Makes one vector of the vectors of the tokens. */
export type Pooling = (tokens: Float32Array, width: number) => Float32Array;
