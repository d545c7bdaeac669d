// `tarsier serve`: starts the server and closes it in order when the system asks for it.
import { beginThread } from "../engine/earlythread.ts";
import { masterKeyWarning } from "../givenoptions.ts";
import { LEVELS } from "../http/logtarget.ts";
import type { Options } from "../options.ts";
import { keepHeapsSmall } from "./heaps.ts";
import { listeningNotice, readLaunchOptions, standstillWarning } from "./launch.ts";

/** Runs until SIGTERM, SIGINT or SIGHUP; a second signal ends the process at once. */
export async function serve(args: readonly string[]): Promise<void> {
  // Told at once: what was passed over may be why the launch fails.
  const options = await readLaunchOptions(args, process.env, (remark) => console.error(`tarsier: ${remark}`));
  keepHeapsSmall(options);
  if (options.threads > 0) beginThread();
  const { openServer } = await import("../node.ts");
  const server = await openServer(options);
  for (const warning of [masterKeyWarning(options), standstillWarning(options)])
    if (warning !== null) tell("warn", warning, options);
  tell("info", listeningNotice(server.url, options), options);
  let closing = false;
  const close = (signal: Signal) => {
    if (closing) process.exit(130);
    closing = true;
    process.exitCode = EXIT_CODES[signal];
    // Everything acknowledged is durable already, so nothing is lost by ending here.
    setTimeout(() => {
      console.error(`The server did not close within ${CLOSING_MS_MAX / 1000} s and ends as it is`);
      process.exit();
    }, CLOSING_MS_MAX).unref();
    server.close().catch((error: unknown) => {
      console.error("The server could not be closed in order:", error);
      process.exit(1);
    });
  };
  for (const signal of Object.keys(EXIT_CODES) as Signal[]) process.on(signal, close);
}

/** SIGTERM is how servers are stopped; for other signals a shell expects 128 + their number. */
const EXIT_CODES = { SIGTERM: 0, SIGINT: 130, SIGHUP: 129 };
type Signal = keyof typeof EXIT_CODES;

/** Longer than requests under way may take (http/connections.ts), and than a batch takes to stop. */
const CLOSING_MS_MAX = 20_000;

/** Prints a sentence; where log lines are objects, an object of their form. */
function tell(level: "warn" | "info", msg: string, { logLevel, experimentalLogsMode }: Options): void {
  if (LEVELS[level] < LEVELS[logLevel]) return;
  const record = { level: LEVELS[level], time: Date.now(), pid: process.pid, msg };
  console.error(experimentalLogsMode === "json" ? JSON.stringify(record) : msg);
}
