// Runs the command line. The package has no such file: its command is a bundle (tools/bundle.mjs).
import { runCommandLine } from "./cli/commandline.ts";

void runCommandLine(process.argv.slice(2));
