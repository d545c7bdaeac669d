// `tarsier completion SHELL`: a script with which a shell completes the commands of Tarsier, their options,
// and the values of options that have few. Made from the option tables, so it is always complete.
import { kebabCase } from "../kebabcase.ts";
import { optionTable } from "../options.ts";
import { UsageError } from "../usageerror.ts";
import type { OptionTable } from "./arguments.ts";
import { checkTable } from "./check.ts";
import { importTable } from "./import.ts";
import { packTable } from "./pack.ts";
import { repairTable } from "./repair.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELL_NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

const COMMANDS: Record<string, OptionTable> = {
  serve: optionTable,
  import: importTable,
  check: checkTable,
  repair: repairTable,
  pack: packTable,
  completion: {},
};

export function completionHelp(): string {
  const lines = [
    "Usage: tarsier completion bash|zsh|fish",
    "Prints a script that completes commands and options. Into a file that the shell reads at its start:",
    '  bash   eval "$(tarsier completion bash)"     in ~/.bashrc',
    '  zsh    eval "$(tarsier completion zsh)"      in ~/.zshrc, behind compinit',
    "  fish   tarsier completion fish | source      in ~/.config/fish/config.fish",
  ];
  return `${lines.join("\n")}\n`;
}

/** @throws UsageError when there is no script for the shell */
export function completion([shell, ...rest]: readonly string[]): string {
  const isKnown = rest.length === 0 && Object.hasOwn(SHELLS, shell ?? "");
  const script = isKnown ? SHELLS[shell as keyof typeof SHELLS] : undefined;
  if (script === undefined) throw new UsageError(`one shell is needed: ${SHELL_NAMES.join(", ")}`);
  return script();
}

/** An option as a shell sees it. */
interface Word {
  /** `--http-addr`. */
  name: string;
  help: string;
  takesValue: boolean;
  /** All possible values; empty if there are too many to list. */
  values: string[];
}

function wordsOf(table: OptionTable): Word[] {
  return Object.entries(table).map(([name, { help, placeholder }]) => ({
    name: `--${kebabCase(name)}`,
    help,
    takesValue: placeholder !== "",
    values: placeholder.includes("|") ? placeholder.split("|") : [],
  }));
}

/** The first word that is a command decides which options are offered; without one it is `serve`. */
function bashScript(): string {
  const options = Object.entries(COMMANDS).map(
    ([command, table]) => `    ${command}) options="${names(table)}" ;;`,
  );
  return `_tarsier() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command=serve options="" word
  # bash takes the sign of --env=production for a word of its own.
  if [[ $current == = ]]; then current=""
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in ${Object.keys(COMMANDS).join("|")}) command=$word; break ;; esac
  done
  case $previous in
${valueCases()}
    completion) ${bashWords(SHELL_NAMES)}; return ;;
  esac
  case $command in
${options.join("\n")}
  esac
  if [[ $current == -* ]]; then ${bashWords(["$options", "--help"])}
  elif [[ $COMP_CWORD == 1 ]]; then ${bashWords(Object.keys(COMMANDS))}
  else local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _tarsier tarsier
`;
}

function zshScript(): string {
  const cases = Object.entries(COMMANDS).map(([command, table]) => {
    const specs = wordsOf(table).map(({ name, help, takesValue, values }) => {
      const value = takesValue ? `:value:${values.length > 0 ? `(${values.join(" ")})` : "_files"}` : "";
      return `      '${name}[${quoted(help).replace(/[[\]:]/g, "\\$&")}]${value}'`;
    });
    const rest = command === "completion" ? `'1:shell:(${SHELL_NAMES.join(" ")})'` : "'*:file:_files'";
    return `    ${command}) _arguments \\\n${[...specs, `      ${rest}`].join(" \\\n")} ;;`;
  });
  return `_tarsier() {
  local command=serve
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    compadd ${Object.keys(COMMANDS).join(" ")}
    return
  fi
  case $words[2] in ${Object.keys(COMMANDS).join("|")})
    command=$words[2]; shift words; (( CURRENT-- )) ;;
  esac
  case $command in
${cases.join("\n")}
  esac
}
compdef _tarsier tarsier
`;
}

function fishScript(): string {
  const others = Object.keys(COMMANDS).filter((command) => command !== "serve");
  const lines = Object.entries(COMMANDS).flatMap(([command, table]) => {
    const when =
      command === "serve"
        ? `not __fish_seen_subcommand_from ${others.join(" ")}`
        : `__fish_seen_subcommand_from ${command}`;
    return wordsOf(table).map(({ name, help, takesValue, values }) => {
      const value = values.length > 0 ? ` -x -a '${values.join(" ")}'` : takesValue ? " -r" : "";
      return `complete -c tarsier -n '${when}' -l ${name.slice(2)}${value} -d '${quoted(help)}'`;
    });
  });
  return `complete -c tarsier -n __fish_use_subcommand -a '${Object.keys(COMMANDS).join(" ")}'
complete -c tarsier -n '__fish_seen_subcommand_from completion' -x -a '${SHELL_NAMES.join(" ")}'
${lines.join("\n")}
`;
}

function names(table: OptionTable): string {
  return wordsOf(table)
    .map(({ name }) => name)
    .join(" ");
}

/** One line per option with few values; they are the same in every command. */
function valueCases(): string {
  const lines = Object.values(COMMANDS)
    .flatMap(wordsOf)
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => `    ${name}) ${bashWords(values)}; return ;;`);
  return [...new Set(lines)].join("\n");
}

function bashWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$current"))`;
}

/** For use inside single quotes. */
const quoted = (text: string): string => text.replaceAll("'", "’");
