// Config files in TOML and JSON: a launch has its options or says what is wrong with the file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLaunchOptions } from "../../../src/cli/launch.ts";
import { kebabCase } from "../../../src/kebabcase.ts";
import { optionTable } from "../../../src/options.ts";
import { UsageError } from "../../../src/usageerror.ts";
import { Place } from "../../tasks/copyfixture.ts";
import type { Target } from "../fuzzing.ts";
import { anyValue, changedText, strangeText } from "../making.ts";

const PARTS = [
  "=",
  "[",
  "]",
  "[[",
  '"""',
  "'''",
  "#",
  "\n",
  "\\u12",
  "{",
  "}",
  ".",
  "1979-05-27",
  "0b1",
  "inf",
];
const VALUES = ["true", "0", "64MiB", "localhost:7700", "development", "info", "10.0.0.0/8", "-1", "1e9GB"];

export const launchTargets: Target[] = [{ name: "config", slice: 60, open }];

function open() {
  const place = new Place();
  const names = Object.keys(optionTable).map((name) => kebabCase(name).replaceAll("-", "_"));
  return {
    make(random) {
      const chosen = Array.from({ length: random.between(0, 4) }, (): [string, unknown] => {
        const usual = random.chance(0.7) ? random.of(VALUES) : strangeText(random);
        return [random.of(names), random.chance(0.8) ? usual : anyValue(random, names)];
      });
      const json = JSON.stringify(Object.fromEntries(chosen));
      const toml = chosen.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join("\n");
      const text = random.chance(0.3) ? json : toml;
      return random.chance(0.5) ? changedText(random, text, PARTS) : text;
    },
    async take(input) {
      const text = String(input);
      const path = join(place.path, text.startsWith("{") ? "config.json" : "config.toml");
      writeFileSync(path, text);
      try {
        await readLaunchOptions(["--config-file-path", path], {});
        return true;
      } catch (error) {
        if (error instanceof UsageError) return false;
        throw error;
      }
    },
    close: () => place.remove(),
  } satisfies ReturnType<Target["open"]>;
}
