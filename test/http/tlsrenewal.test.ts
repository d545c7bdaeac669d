// A server whose certificate is renewed while it runs.
import { equal } from "node:assert/strict";
import { once } from "node:events";
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "node:tls";
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
  put("cert.pem", certificates["server.pem"]);
  put("key.pem", certificates["server.key.pem"]);
  put("ocsp.der", "good");
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

test("files that cannot even be looked at do not end the server", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  put("cert.pem", certificates["server.pem"]);
  put("key.pem", certificates["server.key.pem"]);
  put("ocsp.der", "good");
  const server = await openAt(place, "db", HTTPS);
  try {
    renameSync(fileOf("key.pem"), fileOf("key.old.pem"));
    symlinkSync("key.pem", fileOf("key.pem"));
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), "server of tests: good");
    unlinkSync(fileOf("key.pem"));
    put("key.pem", certificates["client.key.pem"]);
    put("cert.pem", certificates["client.pem"]);
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), "client of tests: good");
  } finally {
    await server.close();
  }
});

test("a certificate that is renewed while the server starts is seen as well", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  put("cert.pem", certificates["server.pem"]);
  put("key.pem", certificates["server.key.pem"]);
  put("ocsp.der", "good");
  const opening = openAt(place, "db", HTTPS);
  put("cert.pem", certificates["client.pem"]);
  put("key.pem", certificates["client.key.pem"]);
  const server = await opening;
  try {
    equal(await shown(server.url), "server of tests: good");
    context.mock.timers.tick(60_000);
    equal(await shown(server.url), "client of tests: good");
  } finally {
    await server.close();
  }
});
