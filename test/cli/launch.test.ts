// Launch options from the command line, the environment and config files, and what is refused.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serverHelp } from "../../src/cli/help.ts";
import { listeningNotice, readLaunchOptions, standstillWarning } from "../../src/cli/launch.ts";
import { masterKeyWarning } from "../../src/givenoptions.ts";
import { kebabCase } from "../../src/kebabcase.ts";
import { defaultOptions, type OptionName, optionTable, refusedOptions } from "../../src/options.ts";
import { UsageError } from "../../src/usageerror.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "tarsier-cli-"));
});
after(() => rm(folder, { recursive: true }));

async function configFile(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function refusalOf(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const error = await readLaunchOptions(args, environment).catch((caught: unknown) => caught);
  if (!(error instanceof UsageError)) throw new Error("these options were taken", { cause: error });
  return error.message;
}

test("nothing given: the defaults", async () => {
  const options = await readLaunchOptions([], {});
  deepEqual(options, defaultOptions());
  equal(options.dbPath, "./data.tarsier");
  equal(options.httpAddr, "localhost:7700");
  equal(options.httpPayloadSizeLimit, 100_000_000);
  equal(options.env, "development");
});

test("values stand behind a blank or an equals sign, flags alone", async () => {
  const args = [
    "--db-path",
    "a b",
    "--http-addr=0.0.0.0:1",
    "--no-analytics",
    "--max-indexing-memory",
    "200MiB",
  ];
  const options = await readLaunchOptions([...args, "--log-level", "DEBUG", "--threads", "0"], {});
  equal(options.dbPath, "a b");
  equal(options.httpAddr, "0.0.0.0:1");
  equal(options.noAnalytics, true);
  equal(options.maxIndexingMemory, 200 * 2 ** 20);
  equal(options.logLevel, "debug");
  equal(options.threads, 0);
});

test("sizes are read with decimal and binary units", async () => {
  const cases: [string, number][] = [
    ["4096", 4096],
    ["100 MB", 1e8],
    ["107.7Gb", 107.7e9],
    ["1 MiB", 2 ** 20],
    ["2k", 2000],
  ];
  for (const [text, bytes] of cases) {
    equal((await readLaunchOptions(["--http-payload-size-limit", text], {})).httpPayloadSizeLimit, bytes);
  }
  match(await refusalOf(["--http-payload-size-limit", "big"]), /"big", which is not a size such as/);
  match(await refusalOf(["--http-payload-size-limit", "0"]), /which is not a size/);
});

test("a snapshot schedule has a day as its default distance", async () => {
  equal((await readLaunchOptions(["--schedule-snapshot"], {})).scheduleSnapshot, 86_400);
  equal((await readLaunchOptions(["--schedule-snapshot", "--no-analytics"], {})).scheduleSnapshot, 86_400);
  equal((await readLaunchOptions(["--schedule-snapshot", "60"], {})).scheduleSnapshot, 60);
  equal((await readLaunchOptions([], {})).scheduleSnapshot, null);
});

test("both families of environment variables work, ours first, empty ones not at all", async () => {
  const environment = { MEILI_DB_PATH: "theirs", TARSIER_DB_PATH: "ours", MEILI_NO_ANALYTICS: "true" };
  const options = await readLaunchOptions([], { ...environment, MEILI_MASTER_KEY: "" });
  equal(options.dbPath, "ours");
  equal(options.noAnalytics, true);
  equal(options.masterKey, null);
  equal((await readLaunchOptions([], { MEILI_EXPERIMENTAL_DUMPLESS_UPGRADE: "true" })).upgradeDb, true);
  match(
    await refusalOf([], { TARSIER_ENV: "test" }),
    /TARSIER_ENV is "test".*one of development, production/,
  );
});

test("the command line wins over the environment, and that over the file", async () => {
  const path = await configFile(
    "layers.toml",
    'db_path = "file"\nhttp_addr = "file:1"\nlog_level = "warn"\n',
  );
  const environment = { TARSIER_DB_PATH: "environment", TARSIER_HTTP_ADDR: "environment:1" };
  const options = await readLaunchOptions(["--config-file-path", path, "--db-path", "line"], environment);
  deepEqual([options.dbPath, options.httpAddr, options.logLevel], ["line", "environment:1", "warn"]);
});

test("config files are TOML or JSON, with values of their own types", async () => {
  const toml = await configFile(
    "types.toml",
    'no_analytics = true\nhttp_payload_size_limit = 5000\nschedule_snapshot = true\nimport_dump = "x.dump"\n',
  );
  const json = await configFile(
    "types.json",
    '{"threads": 3, "experimental_allowed_ip_networks": ["10.0.0.0/8"]}',
  );
  const fromToml = await readLaunchOptions([], { MEILI_CONFIG_FILE_PATH: toml });
  equal(fromToml.noAnalytics, true);
  equal(fromToml.httpPayloadSizeLimit, 5000);
  equal(fromToml.scheduleSnapshot, 86_400);
  equal(fromToml.importDump, null);
  const fromJson = await readLaunchOptions(["--config-file-path", json], {});
  equal(fromJson.threads, 3);
  deepEqual(fromJson.experimentalAllowedIpNetworks, ["10.0.0.0/8"]);
});

test("a config file that is missing, broken or has unknown keys is refused", async () => {
  const refusalOfFile = (path: string) => refusalOf(["--config-file-path", path]);
  match(await refusalOfFile(join(folder, "none.toml")), /cannot be read: ENOENT/);
  match(await refusalOfFile(await configFile("broken.toml", "db_path =")), /broken\.toml cannot be read/);
  match(await refusalOfFile(await configFile("broken.json", "[]")), /must hold one object/);
  match(
    await refusalOfFile(await configFile("key.toml", 'db_pat = "x"')),
    /unknown key db_pat: did you mean db_path\?/,
  );
  match(
    await refusalOfFile(await configFile("self.toml", 'config_file_path = "x"')),
    /cannot stand in a config file/,
  );
  match(await refusalOfFile(await configFile("table.toml", "[db_path]\na = 1")), /must be a text, a number/);
});

test("unknown options are refused with the likely one", async () => {
  match(await refusalOf(["--db-pth", "x"]), /unknown option --db-pth: did you mean --db-path\?/);
  match(await refusalOf(["--completely-else"]), /unknown option --completely-else: --help lists/);
  match(await refusalOf(["-x"]), /unknown option -x/);
  match(await refusalOf(["folder"]), /unexpected argument folder/);
  match(await refusalOf(["--db-path"]), /--db-path needs a value/);
  match(await refusalOf(["--db-path", "--no-analytics"]), /--db-path needs a value/);
  match(await refusalOf(["--s3-bucket-url", "x"]), /--s3-bucket-url cannot be used: snapshots/);
});

test("options that contradict or need each other are refused", async () => {
  match(await refusalOf(["--import-dump", "a", "--import-snapshot", "b"]), /exclude each other/);
  match(await refusalOf(["--ignore-missing-dump"]), /needs --import-dump/);
  match(await refusalOf(["--ignore-snapshot-if-db-exists"]), /needs --import-snapshot/);
  match(await refusalOf(["--task-webhook-authorization-header", "a"]), /needs --task-webhook-url/);
});

test("what is not built is refused wherever it is given, and not listed by --help", async () => {
  match(await refusalOf(["--s3-bucket-url", "a"]), /--s3-bucket-url cannot be used: snapshots are written/);
  match(await refusalOf([], { MEILI_S3_BUCKET_NAME: "a" }), /MEILI_S3_BUCKET_NAME cannot be used/);
  match(await refusalOf([], { TARSIER_S3_BUCKET_URL: "a" }), /TARSIER_S3_BUCKET_URL cannot be used/);
  const file = (content: string) => configFile("refused.toml", content);
  const taken = await file('s3_bucket_url = "a"');
  match(await refusalOf(["--config-file-path", taken]), /s3_bucket_url in .*refused\.toml cannot be used/);
  const absent = await file('s3_bucket_url = ""\ns3_access_key = ""\n');
  const environment = { MEILI_S3_BUCKET_URL: "", MEILI_S3_ACCESS_KEY: "false" };
  deepEqual(await readLaunchOptions(["--config-file-path", absent], environment), defaultOptions());
  const help = serverHelp("0");
  for (const name of Object.keys(refusedOptions)) equal(help.includes(`--${name}`), false, name);
});

test("environment and config file take what the command line takes, under all its names", async () => {
  const forms: Record<string, string> = {
    FILE: "a",
    FOLDER: "a",
    KEY: "a",
    TEXT: "a",
    URL: "http://a",
    LIST: "any",
    N: "7",
    SIZE: "7 MiB",
    "HOST:PORT": "a:7",
    "": "true",
  };
  for (const [name, row] of Object.entries(optionTable)) {
    const listed = row.placeholder.includes("|") ? row.placeholder.split("|")[0] : forms[row.placeholder];
    const text = row.parse(listed) === undefined ? "ignore_embedder_failures" : listed;
    const needed = NEEDED[name as OptionName] ?? [];
    for (const written of [kebabCase(name), ...row.aliases]) {
      if (name === "configFilePath") continue;
      const argument = row.placeholder === "" ? [`--${written}`] : [`--${written}`, text];
      const byArgument = await readLaunchOptions([...needed, ...argument], {});
      const variable = `TARSIER_${written.toUpperCase().replaceAll("-", "_")}`;
      deepEqual(await readLaunchOptions(needed, { [variable]: text }), byArgument, variable);
      if (row.launchOnly) continue;
      const key = written.replaceAll("-", "_");
      const path = await configFile("each.json", JSON.stringify({ [key]: text }));
      const byFile = await readLaunchOptions([...needed, "--config-file-path", path], {});
      deepEqual(byFile, byArgument, key);
    }
  }
});

/** What some options cannot be without. */
const NEEDED: { [Name in OptionName]?: string[] } = {
  env: ["--master-key", "0123456789abcdef"],
  taskWebhookAuthorizationHeader: ["--task-webhook-url", "http://a"],
  ignoreMissingDump: ["--import-dump", "a"],
  ignoreDumpIfDbExists: ["--import-dump", "a"],
  ignoreMissingSnapshot: ["--import-snapshot", "a"],
  ignoreSnapshotIfDbExists: ["--import-snapshot", "a"],
};

test("threads that build may be unlimited, a schedule may be true or false, as elsewhere", async () => {
  const { maxIndexingThreads } = defaultOptions();
  const unlimited = await readLaunchOptions(["--max-indexing-threads", "unlimited"], {});
  equal(unlimited.maxIndexingThreads, maxIndexingThreads);
  equal((await readLaunchOptions([], { MEILI_SCHEDULE_SNAPSHOT: "true" })).scheduleSnapshot, 86_400);
  equal((await readLaunchOptions([], { MEILI_SCHEDULE_SNAPSHOT: "false" })).scheduleSnapshot, null);
});

test("a file of HTTPS that is empty is none", async () => {
  const taken = await configFile("tls.toml", 'ssl_cert_path = ""\n');
  const args = ["--config-file-path", taken, "--ssl-key-path", ""];
  const { sslCertPath, sslKeyPath } = await readLaunchOptions(args, {});
  deepEqual([sslCertPath, sslKeyPath], [null, null]);
});

test("a switch may be 1 or 0 in the environment", async () => {
  const noAnalytics = async (text: string) =>
    (await readLaunchOptions([], { MEILI_NO_ANALYTICS: text })).noAnalytics;
  deepEqual(await Promise.all(["1", "0", "true", "false"].map(noAnalytics)), [true, false, true, false]);
  for (const text of ["2", "constructor"]) await rejects(noAnalytics(text), /which is not true or false/);
});

test("production needs a long master key, development warns", async () => {
  match(
    await refusalOf(["--env", "production"]),
    /16 bytes or more, and none is given.*--master-key [\da-f]{64}$/,
  );
  match(await refusalOf(["--env", "production", "--master-key", "short"]), /this one has 5/);
  const long = "0123456789abcdef";
  equal((await readLaunchOptions(["--env=production", "--master-key", long], {})).masterKey, long);
  match(masterKeyWarning(await readLaunchOptions([], {})) ?? "", /No master key/);
  match(masterKeyWarning(await readLaunchOptions(["--master-key", "ééééééé"], {})) ?? "", /is short/);
  equal(masterKeyWarning(await readLaunchOptions(["--master-key", "éééééééé"], {})), null);
});

test("batches of no task stop all processing, which is told; batches of no bytes hold one task", async () => {
  const none = await readLaunchOptions(["--experimental-max-number-of-batched-tasks", "0"], {});
  equal(none.maxNumberOfBatchedTasks, 0);
  match(standstillWarning(none) ?? "", /none is processed: --max-number-of-batched-tasks is 0/);
  equal(standstillWarning(await readLaunchOptions(["--max-number-of-batched-tasks", "1"], {})), null);
  equal(standstillWarning(await readLaunchOptions([], {})), null);
  for (const size of ["0", "0 MiB"]) {
    const args = ["--experimental-limit-batched-tasks-total-size", size];
    equal((await readLaunchOptions(args, {})).limitBatchedTasksTotalSize, 0);
  }
  match(await refusalOf(["--limit-batched-tasks-total-size", "-1"]), /which is not a size/);
});

test("what is passed over is told", async () => {
  const remarks: string[] = [];
  const tell = (remark: string) => remarks.push(remark);
  const path = await configFile("imports.toml", 'import_dump = "a.dump"\nhttp_addr = ":7"\n');
  const environment = { TARSIER_THRAEDS: "2", TARSIER_PORT: "tcp://10.0.0.1:7700", TARSIER_SSL_KEY_PATH: "" };
  const options = await readLaunchOptions(["--config-file-path", path], environment, tell);
  deepEqual([options.importDump, options.httpAddr, remarks.length], [null, ":7", 2]);
  match(remarks[0], /^TARSIER_THRAEDS is no option: did you mean TARSIER_THREADS\?$/);
  match(remarks[1], /^import_dump in .*imports\.toml: not used/);
});

test("the address has a port", async () => {
  const address = async (text: string) => (await readLaunchOptions(["--http-addr", text], {})).httpAddr;
  for (const right of ["localhost:0", ":7700", "[::1]:7700", "0.0.0.0:65535"])
    equal(await address(right), right);
  for (const wrong of ["localhost", "localhost:65536", "::1", "7700", "a b:1"])
    await rejects(address(wrong), UsageError);
});

test("networks are checked", async () => {
  const networks = async (text: string) =>
    (await readLaunchOptions(["--experimental-allowed-ip-networks", text], {})).experimentalAllowedIpNetworks;
  deepEqual(await networks("any"), ["any"]);
  deepEqual(await networks("10.0.0.0/8, fd00::/8,127.0.0.1"), ["10.0.0.0/8", "fd00::/8", "127.0.0.1"]);
  for (const wrong of ["10.0.0/8", "10.0.0.0/33", "somewhere"]) await rejects(networks(wrong), UsageError);
});

test("the example of a configuration for production is one", async () => {
  const path = fileURLToPath(new URL("../../../examples/operations/config.toml", import.meta.url));
  const environment = { TARSIER_MASTER_KEY: "a key of more than 16 bytes" };
  const options = await readLaunchOptions(["--config-file-path", path], environment);
  deepEqual([options.env, options.maxSearchMemory], ["production", 2 * 1024 ** 3]);
});

test("a server that listens everywhere says so", async () => {
  const notice = async (address: string) =>
    listeningNotice("http://127.0.0.1:7700", await readLaunchOptions(["--http-addr", address], {}));
  const everywhere = /^Tarsier listens on http:\S+ and all other addresses of this machine \(database: /;
  for (const address of ["0.0.0.0:7700", "[::]:7700", ":7700"]) match(await notice(address), everywhere);
  match(await notice("127.0.0.1:7700"), /^Tarsier listens on http:\S+ \(database: /);
});
