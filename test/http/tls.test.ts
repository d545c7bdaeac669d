// HTTPS: what the options for it make of a whole server.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get } from "node:https";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { ServerClient } from "../../src/cli/server-client.ts";
import type { Options } from "../../src/options.ts";
import { Place } from "../tasks/copyfixture.ts";
import { certificates } from "./certificates.ts";
import { LOCAL_ADDRESSES, mockAddresses } from "./localaddresses.ts";
import { openAt, served } from "./served.ts";

type FileName = keyof typeof certificates;

/** What a server fails to do shows in that nothing comes. */
const SOON = { timeout: 20_000 };
const OCSP_ANSWER = Buffer.from("what the authority says");

const place = new Place();
after(() => place.remove());
for (const [name, text] of Object.entries(certificates)) writeFileSync(join(place.path, name), text);
writeFileSync(join(place.path, "ocsp.der"), OCSP_ANSWER);
writeFileSync(join(place.path, "empty.der"), "");

writeFileSync(
  join(place.path, "damaged.pem"),
  certificates["authority.pem"] + certificates["client.pem"].replace("MII", "AAA"),
);

const fileOf = (name: FileName | "ocsp.der" | "damaged.pem" | "empty.der"): string => join(place.path, name);
const HTTPS = { sslCertPath: fileOf("server.pem"), sslKeyPath: fileOf("server.key.pem") };
const trusting = { ca: certificates["authority.pem"] };
const as = (name: "client" | "stranger") => ({
  ...trusting,
  cert: certificates[`${name}.pem`],
  key: certificates[`${name}.key.pem`],
});

function withServer(changes: Partial<Options>, use: (url: URL) => Promise<void>): Promise<void> {
  return served(place, "db", { ...HTTPS, ...changes }, (url) => use(new URL(url)));
}

/** The key of the server in a file of its own, encrypted. */
function protectedKey(type: "pkcs8" | "sec1"): string {
  const path = join(place.path, `${type}.key.pem`);
  const how = { type, format: "pem", cipher: "aes-256-cbc", passphrase: "a secret" } as const;
  writeFileSync(path, createPrivateKey(certificates["server.key.pem"]).export(how));
  return path;
}

/** Status of `GET /health`, which a server answers with 200. */
async function health(url: URL, options: ConnectionOptions): Promise<number> {
  const request = get(new URL("/health", url), { ...options, agent: false });
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

/** An open connection. With TLS 1.3 the server may still refuse the client's certificate. */
async function connected({ port }: URL, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port: Number(port), host: "127.0.0.1", ...trusting, ...options });
  await once(socket, "secureConnect");
  return socket;
}

test("a server with a certificate speaks HTTPS and nothing else", SOON, () =>
  withServer({}, async (url) => {
    equal(url.protocol, "https:");
    equal(await health(url, trusting), 200);
    await rejects(health(url, {}), { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    await rejects(once(getPlain({ port: url.port, path: "/health", agent: false }), "response"));
    equal(await health(url, trusting), 200);
  }),
);

test("a command that does not trust the server says so at once", SOON, () =>
  withServer({}, async (url) => {
    const client = new ServerClient(url.href, null, 60, () => {});
    await rejects(client.task(0), /certificate of .* is not trusted: .* NODE_EXTRA_CA_CERTS/);
  }),
);

describe("certificates of clients", () => {
  const authority = { sslAuthPath: fileOf("authority.pem") };

  test("are not asked for by default", SOON, () =>
    withServer({}, async (url) => equal(await health(url, as("stranger")), 200)),
  );

  test("may be missing, but not be those of strangers", SOON, () =>
    withServer(authority, async (url) => {
      equal(await health(url, trusting), 200);
      equal(await health(url, as("client")), 200);
      await rejects(health(url, as("stranger")));
    }),
  );

  test("are looked at on each address of `localhost`", SOON, async (context) => {
    mockAddresses(context);
    await withServer({ ...authority, httpAddr: "localhost:0" }, async ({ port }) => {
      for (const address of LOCAL_ADDRESSES) {
        const url = new URL(`https://${address}:${port}`);
        const sameServer = { checkServerIdentity: () => undefined };
        equal(await health(url, { ...as("client"), ...sameServer }), 200);
        await rejects(health(url, { ...as("stranger"), ...sameServer }));
      }
    });
  });

  test("may not be missing where they are required", SOON, () =>
    withServer({ ...authority, sslRequireAuth: true }, async (url) => {
      await rejects(health(url, trusting));
      await rejects(health(url, as("stranger")));
      equal(await health(url, as("client")), 200);
    }),
  );
});

/** Sooner than Node gives up a handshake. */
const BEFORE_HANDSHAKES_END = { timeout: 15_000 };

test("a client that never says anything does not delay a close", BEFORE_HANDSHAKES_END, async () => {
  const { url, close } = await openAt(place, "db", HTTPS);
  const silent = connectPlain(Number(new URL(url).port), "127.0.0.1");
  silent.on("error", () => {});
  await once(silent, "connect");
  equal(await health(new URL(url), trusting), 200);
  await close();
  silent.destroy();
});

test("clients that ask for it get the OCSP answer with the certificate", SOON, () =>
  withServer({ sslOcspPath: fileOf("ocsp.der") }, async ({ port }) => {
    const asking = { port: Number(port), host: "127.0.0.1", ...trusting, requestOCSP: true };
    const socket = connect(asking);
    const [answer] = await once(socket, "OCSPResponse");
    deepEqual(answer, OCSP_ANSWER);
    socket.destroy();
  }),
);

describe("a session", () => {
  /** Whether the second connection of a client takes up the session of the first one. */
  async function isResumed(url: URL, maxVersion: "TLSv1.2" | "TLSv1.3"): Promise<boolean> {
    const first = connect({ port: Number(url.port), host: "127.0.0.1", ...trusting, maxVersion });
    let session: Buffer | undefined;
    first.on("session", (given: Buffer) => (session = given));
    await once(first, "secureConnect");
    // TLS 1.3 gives sessions after the handshake; by the answer they are there.
    first.write("GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    first.resume();
    await once(first, "close");
    const second = await connected(url, { maxVersion, session });
    const resumed = second.isSessionReused();
    second.destroy();
    return resumed;
  }

  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
    test(`of ${maxVersion} is taken up again only where an option says so`, SOON, async () => {
      for (const [changes, expected] of [
        [{}, false],
        [{ sslResumption: true }, true],
        [{ sslTickets: true }, true],
      ] as const) {
        await withServer(changes, async (url) => equal(await isResumed(url, maxVersion), expected));
      }
    });
  }
});

describe("refused before anything is opened", () => {
  type Refused = [name: string, changes: Partial<Options>, reason: RegExp];
  const refused: Refused[] = [
    [
      "a certificate without a key",
      { sslCertPath: HTTPS.sslCertPath },
      /--ssl-cert-path needs --ssl-key-path/,
    ],
    ["a key without a certificate", { sslKeyPath: HTTPS.sslKeyPath }, /--ssl-key-path needs --ssl-cert-path/],
    ["authorities alone", { sslAuthPath: fileOf("authority.pem") }, /--ssl-auth-path needs .* and --ssl-key/],
    ["certificates required of clients, without HTTPS", { sslRequireAuth: true }, /needs --ssl-cert-path/],
    ["certificates required, of nobody", { ...HTTPS, sslRequireAuth: true }, /needs --ssl-auth-path/],
    [
      "a file that is not there",
      { ...HTTPS, sslKeyPath: "/nowhere" },
      /--ssl-key-path: \/nowhere cannot be read/,
    ],
    ...(["pkcs8", "sec1"] as const).map(
      (type): Refused => [
        `a key with a passphrase, as ${type}`,
        { ...HTTPS, sslKeyPath: protectedKey(type) },
        /^--ssl-key-path: .*\.pem is protected by a passphrase, which cannot be given: write the key without/,
      ],
    ),
    ["the key of another", { ...HTTPS, sslKeyPath: fileOf("client.key.pem") }, /no certificate and its key/],
    [
      "authorities in a file of another kind",
      { ...HTTPS, sslAuthPath: fileOf("ocsp.der") },
      /--ssl-auth-path: .* holds no certificates/,
    ],
    [
      "authorities of which one is damaged",
      { ...HTTPS, sslAuthPath: fileOf("damaged.pem") },
      /--ssl-auth-path: .* holds no certificates/,
    ],
    ["an empty OCSP answer", { ...HTTPS, sslOcspPath: fileOf("empty.der") }, /--ssl-ocsp-path: .* is empty/],
    ["a file of another kind", { ...HTTPS, sslCertPath: fileOf("ocsp.der") }, /no certificate and its key/],
  ];
  // Closed, so that a server that opens fails the test at once.
  const opened = async (changes: Partial<Options>) => (await openAt(place, "db", changes)).close();
  for (const [name, changes, reason] of refused)
    test(name, () => rejects(opened(changes), { message: reason }));
});
