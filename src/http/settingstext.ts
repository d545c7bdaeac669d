// Settings as JSON. The distributions of embedders hold floats; all other numbers are integers. Called by
// settings.ts.
import { textOfFloats } from "../core/floattext.ts";

export function settingsText(settings: Readonly<Record<string, unknown>>): string {
  return objectText(settings, settingText);
}

export function settingText(name: string, value: unknown): string {
  return name === "embedders"
    ? objectText(value, (_, embedder) => embedderText(embedder))
    : JSON.stringify(value);
}

/** A composite embedder holds two more. */
function embedderText(embedder: unknown): string {
  return objectText(embedder, (name, value) => {
    if (name === "distribution") return textOfFloats(value);
    const isEmbedder = name === "searchEmbedder" || name === "indexingEmbedder";
    return isEmbedder ? embedderText(value) : JSON.stringify(value);
  });
}

function objectText(value: unknown, textOf: (name: string, value: unknown) => string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${textOf(name, one)}`).join(",")}}`;
}
