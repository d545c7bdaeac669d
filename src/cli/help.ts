// The texts of --help, made from the option tables.
import { kebabCase } from "../kebabcase.ts";
import type { OptionRow } from "../option-rows.ts";
import { optionGroups } from "../options.ts";
import { formatSize } from "../sizes.ts";
import type { OptionTable } from "./arguments.ts";

const COLUMNS = 100;
/** Column where explanations start; longer option names have a line of their own. */
const HELP_COLUMN = 34;

/** The help of a command: a usage line, paragraphs, and its options. */
export function commandHelp(usage: string, paragraphs: readonly string[], table: OptionTable): string {
  const parts = [`Usage: ${usage}`, ...paragraphs.map((paragraph) => wrap(paragraph, 0))];
  return `${[...parts, `Options\n${optionLines(table)}`].join("\n\n")}\n`;
}

/** The help of the server, with the other commands in front. */
export function serverHelp(version: string): string {
  const commands = [
    ["tarsier [serve] [options]", "Start the server"],
    ["tarsier import FILE --index NAME", "Send the documents of a file to a running server"],
    ["tarsier check [--db-path FOLDER]", "Check every byte of a database that no server has open"],
    ["tarsier repair [--dry-run]", "Make a damaged database usable, or say what that would lose"],
    ["tarsier pack FOLDER --index NAME", "Make static files of an index, for browsers"],
    ["tarsier completion bash|zsh|fish", "Print a script by which a shell completes all this"],
    ["tarsier COMMAND --help", "Show the options of a command"],
    ["tarsier --version", "Show the version"],
  ];
  const groups = Object.entries(optionGroups).map(([title, table]) => {
    const hasHelp = Object.values(table).some((row) => row.help !== "");
    return `${title}\n${hasHelp ? optionLines(table) : nameLines(table)}`;
  });
  const sources =
    "Every option can also be set in the environment (--db-path as TARSIER_DB_PATH or MEILI_DB_PATH) " +
    "and, except imports, in a config file (db_path). " +
    "The command line wins over the environment, the environment over the file.";
  const lines = commands.map(([call, help]) => `  ${call.padEnd(HELP_COLUMN)} ${help}`);
  const parts = [`Tarsier ${version}, a search engine`, lines.join("\n"), ...groups, wrap(sources, 0)];
  return `${parts.join("\n\n")}\n`;
}

function optionLines(table: OptionTable): string {
  return Object.entries(table)
    .map(([name, row]) => {
      const call = `  ${callOf(name, row)}`;
      const fallback = defaultOf(row);
      const help = wrap(row.help + (fallback === "" ? "" : ` (${fallback})`), HELP_COLUMN + 1);
      return call.length < HELP_COLUMN ? `${call.padEnd(HELP_COLUMN)} ${help}` : `${call}\n${pad(help)}`;
    })
    .join("\n");
}

function nameLines(table: OptionTable): string {
  const names = Object.keys(table).map((name) => `--${kebabCase(name)}`);
  return `  ${wrap(names.join(" "), 2)}`;
}

/** An option as it is written on a command line. */
export function callOf(name: string, { bare, placeholder }: OptionRow<unknown>): string {
  const value = bare !== null && placeholder ? `[${placeholder}]` : placeholder;
  return `--${kebabCase(name)} ${value}`.trimEnd();
}

/** Empty for an option without a default that could be written. */
export function defaultOf({ fallback, placeholder }: OptionRow<unknown>): string {
  const value = fallback();
  if (value === null || value === false || (Array.isArray(value) && value.length === 0)) return "";
  return placeholder === "SIZE" ? formatSize(Number(value)) : String(value);
}

/** Breaks a text at blanks; every line but the first is indented. */
function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && indent + last.length + word.length < COLUMNS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}

function pad(text: string): string {
  return " ".repeat(HELP_COLUMN + 1) + text;
}
