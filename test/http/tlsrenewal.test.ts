// A server whose certificate is renewed while it runs.
import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, type TestContext, test } from "node:test";
import { connect } from "node:tls";
import type { App } from "../../src/http/app.ts";
import { readTls } from "../../src/http/tls.ts";
import { TlsRenewal } from "../../src/http/tlsrenewal.ts";
import { defaultOptions } from "../../src/options.ts";
import { Place } from "../tasks/copyfixture.ts";
import { certificates } from "./certificates.ts";
import { openAt } from "./served.ts";

const place = new Place();
after(() => place.remove());

const fileOf = (name: string): string => join(place.path, name);
const HTTPS = {
  sslCertPath: fileOf("cert.pem"),
  sslKeyPath: fileOf("key.pem"),
  sslOcspPath: fileOf("ocsp.der"),
};

beforeEach(() => {
  put("cert.pem", certificates["server.pem"]);
  put("key.pem", certificates["server.key.pem"]);
  put("ocsp.der", "good");
});

function put(file: string, content: string): void {
  writeFileSync(fileOf(file), content);
}

/** Whose certificate a new connection gets, and what the server says of it. */
async function shown(url: string): Promise<string> {
  const trusting = { ca: certificates["authority.pem"], checkServerIdentity: () => undefined };
  const asking = { host: "127.0.0.1", port: Number(new URL(url).port), ...trusting, requestOCSP: true };
  const socket = connect(asking);
  const answered = once(socket, "OCSPResponse");
  await once(socket, "secureConnect");
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return `${CN}: ${(await answered)[0]}`;
}

test("new connections get a certificate that was renewed while the server runs", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const server = await openAt(place, "db", HTTPS);
  try {
    const before = await shown(server.url);
    equal(before, "server of tests: good");
    put("cert.pem", certificates["client.pem"]);
    equal(await shown(server.url), before);
    // Without the key that belongs to it.
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), before);
    put("key.pem", certificates["client.key.pem"]);
    put("ocsp.der", "better");
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), "client of tests: better");
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), "client of tests: better");
  } finally {
    await server.close();
  }
});

/** A renewal without a server: `begin` begins to watch, `close` closes the application. */
function watched(context: TestContext, changes: object = {}) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const tls = readTls({ ...defaultOptions(), ...HTTPS, ...changes })!;
  let close = async () => {};
  const addHook = (_name: string, hook: typeof close) => {
    close = hook;
  };
  const app = { server: { setSecureContext: () => {} }, addHook };
  const told: string[] = [];
  const begin = () => {
    const onRefused = (reason: string) => told.push(reason);
    const renewal = new TlsRenewal(tls, { onRenewed: () => told.push("renewed"), onRefused });
    renewal.watch(app as unknown as App);
    return renewal;
  };
  /** What is told after the next look at the files. */
  const look = () => {
    context.mock.timers.tick(60_000);
    return told.splice(0);
  };
  return { begin, look, close: () => close() };
}

test("each change is told once, and none after the server was closed", async (context) => {
  const { begin, look, close } = watched(context);
  begin();
  deepEqual(look(), []);
  put("cert.pem", "none");
  const [refused, ...more] = look();
  match(refused, /cert\.pem .* are no certificate and its key in PEM/);
  deepEqual(more, []);
  deepEqual(look(), []);
  put("cert.pem", certificates["server.pem"]);
  deepEqual(look(), ["renewed"]);
  deepEqual(look(), []);
  put("ocsp.der", "better");
  await close();
  deepEqual(look(), []);
});

test("files that cannot even be looked at are told, and used when they can", (context) => {
  const { begin, look } = watched(context);
  begin();
  rmSync(fileOf("key.pem"));
  symlinkSync("key.pem", fileOf("key.pem"));
  match(look().join(), /key\.pem cannot be read: .*ELOOP/);
  rmSync(fileOf("key.pem"));
  deepEqual(look(), []);
  put("key.pem", certificates["server.key.pem"]);
  deepEqual(look(), ["renewed"]);
});

test("what was renewed while the server was being opened is used", (context) => {
  const { begin, look } = watched(context);
  put("cert.pem", certificates["client.pem"]);
  put("key.pem", certificates["client.key.pem"]);
  const renewal = begin();
  deepEqual(look(), ["renewed"]);
  equal(String(renewal.tls.options.cert), certificates["client.pem"]);
});

test("the authorities of clients are renewed, too", (context) => {
  put("ca.pem", certificates["authority.pem"]);
  const { begin, look } = watched(context, { sslAuthPath: fileOf("ca.pem") });
  const renewal = begin();
  put("ca.pem", certificates["client.pem"]);
  deepEqual(look(), ["renewed"]);
  equal(String(renewal.tls.options.ca), certificates["client.pem"]);
});
