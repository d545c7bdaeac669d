// The command line: `tarsier [serve]`, `tarsier import`, and so on. Each command is loaded only when it
// is called, so that --help and --version answer at once. Called by src/cli.ts, and by the bundled program.
import { UsageError } from "../usageerror.ts";

/** Runs the command of the arguments; failures are printed and set the exit code. */
export async function runCommandLine(all: readonly string[]): Promise<void> {
  process.once("uncaughtException", endUncaught);
  process.stderr.on("error", endOutput);
  const [first, ...rest] = all;
  const isCommand = first !== undefined && !first.startsWith("-");
  try {
    await run(isCommand ? first : "serve", isCommand ? rest : all);
  } catch (error) {
    if (error instanceof UsageError) process.exitCode = error.exitCode;
    else if (isRefusal(error)) process.exitCode = 1;
    else throw error;
    console.error(`tarsier: ${error.message}`);
  }
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (args.includes("--version") || args.includes("-V")) {
    print(`${(await import("../version.ts")).packageVersion()}\n`);
  } else if (command === "import") {
    const { importFile, importHelp } = await import("./import.ts");
    if (wantsHelp) print(importHelp());
    else await importFile(args);
  } else if (command === "check") {
    const { check, checkHelp } = await import("./check.ts");
    if (wantsHelp) print(checkHelp());
    else process.exitCode = await check(args);
  } else if (command === "repair") {
    const { repairFolder, repairHelp } = await import("./repair.ts");
    if (wantsHelp) print(repairHelp());
    else process.exitCode = await repairFolder(args);
  } else if (command === "pack") {
    const { pack, packHelp } = await import("./pack.ts");
    if (wantsHelp) print(packHelp());
    else await pack(args);
  } else if (command === "completion") {
    const { completion, completionHelp } = await import("./completion.ts");
    print(wantsHelp ? completionHelp() : completion(args));
  } else if (command === "serve") {
    if (wantsHelp) await showServerHelp();
    else await (await import("./serve.ts")).serve(args);
  } else if (command === "help") {
    await showServerHelp();
  } else {
    throw new UsageError(`unknown command ${command}: tarsier --help shows the commands`);
  }
}

/**
 * Ends the process on an unexpected error, as the runtime would. But the runtime would first print the source
 * line of the error, and lines of a bundle are as long as a book.
 */
function endUncaught(error: unknown): void {
  console.error("tarsier: this should not have happened, please report it:", error);
  process.exit(1);
}

/** Opened only here: a server, which prints nothing, would start later by what the stream takes to open. */
function print(text: string): void {
  process.stdout.on("error", endOutput).write(text);
}

/** A reader of the output may stop before its end (`| head`). A server goes on without its log lines. */
function endOutput(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  console.error(`tarsier: the output cannot be written: ${error.message}`);
  process.exitCode = 1;
}

/** A refusal by the server or the system that explains itself: a folder in use, a port in use. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && typeof (error as { code?: unknown }).code === "string";
}

async function showServerHelp(): Promise<void> {
  const { serverHelp } = await import("./help.ts");
  const { packageVersion } = await import("../version.ts");
  print(serverHelp(packageVersion()));
}
