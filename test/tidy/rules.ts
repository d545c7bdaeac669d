// The house rules that hold for one file at a time: size, form, and what must not stand in it. Each rule
// returns its complaints, `path:line: what`.
import { functionsOf } from "./functions.ts";
import { codeOf, isCode, isTable, type Source } from "./sources.ts";

export type Rule = (source: Source) => string[];

const COLUMNS_MAX = 110;
const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;

export const rules: Record<string, Rule> = {
  "lines have at most 110 columns": (source) =>
    isCode(source) && !isTable(source)
      ? linesWhere(source, source.text, (line) => [...line].length > COLUMNS_MAX, "too long")
      : [],

  "files have at most 500 lines": (source) => {
    const lines = source.text.split("\n").length - 1;
    if (!isCode(source) || isTable(source) || lines <= FILE_LINES_MAX) return [];
    return [`${source.path}: ${lines} lines`];
  },

  "functions have at most 70 lines": (source) =>
    !isCode(source) || isTable(source)
      ? []
      : functionsOf(source.text)
          .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
          .map(({ line, lines }) => `${source.path}:${line}: a function of ${lines} lines`),

  "the first line of a file is a comment": (source) => {
    if (!isCode(source)) return [];
    const first = source.text.split("\n").find((line) => !line.startsWith("#!")) ?? "";
    return /^\/[/*]/.test(first) ? [] : [`${source.path}:1: ${JSON.stringify(first.slice(0, 40))}`];
  },

  "nothing is of type any": banned(/(?:[:<|&]|\bas)\s*any\b(?!\s*[=(,])|,\s*any\s*>/, isCode),

  "exports have names": banned(/\bexport default\b/, isCode),

  "what is left to do has the name of who does it": (source) =>
    linesWhere(source, source.text, (line) => /\b(?:TO[D]O|FIX[M]E)\b(?!\([a-z]+\))/.test(line), "no name"),

  "only commands print": banned(
    /\bconsole\.\w+/,
    ({ path }) => /^(src|assembly)\//.test(path) && !isCommand(path),
  ),

  "only commands end the process": banned(
    /\bprocess\.exit\b/,
    ({ path }) => /^src\//.test(path) && !isCommand(path),
  ),

  "no text is run as code": banned(/\beval\(|\bnew Function\(/, isCode),

  "no test is left alone": banned(/\b(?:test|it|describe)\.only\(/, ({ path }) => path.startsWith("test/")),

  "MessagePack is read without native code": (source) =>
    linesWhere(
      source,
      source.text,
      (line) => /from ["]msgpackr"/.test(line),
      "msgpackr/pack is safe in threads",
    ),

  "no path of a machine is named": (source) =>
    linesWhere(
      source,
      source.text,
      (line) => /(?<![\w.:/-])\/(?:home|root|work|mnt|Users|private)\/\w/.test(line),
      "path",
    ),
};

function isCommand(path: string): boolean {
  return path === "src/cli.ts" || path.startsWith("src/cli/");
}

/**
 * A pattern that must not be in the code of the files that `concerns` names; comments and texts do not count.
 */
function banned(pattern: RegExp, concerns: (source: Source) => boolean): Rule {
  return (source) => {
    if (!concerns(source)) return [];
    return linesWhere(source, codeOf(source.text), (line) => pattern.test(line), String(pattern));
  };
}

function linesWhere(
  { path }: Source,
  text: string,
  isBad: (line: string) => boolean,
  what: string,
): string[] {
  return text.split("\n").flatMap((line, place) => (isBad(line) ? [`${path}:${place + 1}: ${what}`] : []));
}
