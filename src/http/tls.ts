// HTTPS: the files that the launch options name, and what the server makes of connections beyond what Node
// does by itself. Read by node.ts before anything is opened, put to work by server.ts, and read again when
// the files change (tlsrenewal.ts).
import { constants, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext, type Server, TLSSocket, type TlsOptions } from "node:tls";
import { messageOf } from "../errors.ts";
import { kebabCase } from "../kebabcase.ts";
import type { Options } from "../options.ts";
import { IS_BUN } from "../runtime.ts";
import { UsageError } from "../usageerror.ts";
import type { App } from "./app.ts";

type FileOption = "sslCertPath" | "sslKeyPath" | "sslAuthPath" | "sslOcspPath";
type TlsLaunchOptions = Pick<Options, FileOption | "sslRequireAuth" | "sslResumption" | "sslTickets">;

export interface Tls {
  /** For the server of Node. */
  readonly options: TlsOptions;
  /** The answer about the certificate (OCSP, DER) that clients get with it; null: none. */
  readonly ocspAnswer: Buffer | null;
  /** What names the files that it was read from. */
  readonly source: TlsLaunchOptions;
  /** State of these files before they were read (stateOfFiles). */
  readonly state: string;
}

/** Time to agree on a connection: like that for the head of a request. */
const HANDSHAKE_MS_MAX = 20_000;
const PEM_CERTIFICATES = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** The two ways in which PEM tells that a key is encrypted. */
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m;

/**
 * Null when the options ask for no certificate.
 * @throws UsageError for options that need others, and for files that cannot be read or used
 */
export function readTls(options: TlsLaunchOptions): Tls | null {
  const { sslCertPath, sslKeyPath, sslRequireAuth, sslResumption, sslTickets } = options;
  if (sslCertPath === null && sslKeyPath === null) {
    const useless = (["sslAuthPath", "sslOcspPath", "sslRequireAuth"] as const).find((name) => options[name]);
    if (useless) throw needs(useless, "sslCertPath", "sslKeyPath");
    return null;
  }
  if (sslKeyPath === null) throw needs("sslCertPath", "sslKeyPath");
  if (sslCertPath === null) throw needs("sslKeyPath", "sslCertPath");
  if (sslRequireAuth && options.sslAuthPath === null) throw needs("sslRequireAuth", "sslAuthPath");
  if (options.sslAuthPath !== null && !sslRequireAuth && IS_BUN) {
    const both = `${callOf("sslAuthPath")} without ${callOf("sslRequireAuth")}`;
    throw new UsageError(`${both}: not on Bun, which does not show the certificates of clients`);
  }
  const state = stateOfFiles(options);
  const ca = readFileOf(options, "sslAuthPath");
  if (ca && !holdsCertificates(ca))
    throw new UsageError(`${callOf("sslAuthPath")}: ${options.sslAuthPath} holds no certificates in PEM`);
  const ocspAnswer = readFileOf(options, "sslOcspPath");
  if (ocspAnswer?.length === 0)
    throw new UsageError(`${callOf("sslOcspPath")}: ${options.sslOcspPath} is empty`);
  const files = { cert: readFileOf(options, "sslCertPath"), key: readFileOf(options, "sslKeyPath"), ca };
  if (files.key && ENCRYPTED_KEY.test(files.key.toString("latin1"))) throw protectedKey(options);
  refuseUnusable(files, options);
  return {
    options: {
      ...files,
      requestCert: ca !== undefined,
      rejectUnauthorized: sslRequireAuth,
      handshakeTimeout: HANDSHAKE_MS_MAX,
      // Sessions that the server keeps are of no use to TLS 1.3: Node looks for them in older forms only.
      secureOptions: sslResumption || sslTickets ? 0 : constants.SSL_OP_NO_TICKET,
    },
    ocspAnswer: ocspAnswer ?? null,
    source: options,
    state,
  };
}

/** Equal as long as no file has changed. */
export function stateOfFiles({
  sslCertPath,
  sslKeyPath,
  sslAuthPath,
  sslOcspPath,
}: TlsLaunchOptions): string {
  const states = [sslCertPath, sslKeyPath, sslAuthPath, sslOcspPath].map((path) => {
    if (path === null) return null;
    try {
      const { ino, size, mtimeMs } = statSync(path);
      return [ino, size, mtimeMs];
    } catch {
      // Why it cannot be looked at is told when it is read.
      return null;
    }
  });
  return JSON.stringify(states);
}

/**
 * Call it before the server listens, and after guardConnections: it cuts what that has not waited for. `tls`:
 * what counts for new connections.
 */
export function guardTls(app: App, tls: () => Tls): void {
  const { options, ocspAnswer } = tls();
  const server = app.server as unknown as Server;
  // Node would have them answered as errors of HTTP, which nobody could read.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  if (ocspAnswer !== null) {
    server.on("OCSPRequest", (_certificate: Buffer, _issuer: Buffer, answer: OcspCallback) =>
      answer(null, tls().ocspAnswer),
    );
  }
  cutHandshakes(app, server);
  if (options.requestCert && !options.rejectUnauthorized) refuseStrangers(app, server);
}

/** The HTTP server knows connections only after their handshakes, and would wait for the others to close. */
function cutHandshakes(app: App, server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    for (const socket of open) socket.destroy();
    done();
  });
}

/** A certificate may be missing, but not be anybody's. */
function refuseStrangers(app: App, server: Server): void {
  server.on("secureConnection", (socket) => {
    if (isStranger(socket)) socket.destroy();
  });
  // On other runtimes than Node, fastify opens a second server for `localhost`, which it does not show.
  app.addHook("onRequest", (request, _reply, done) => {
    const { socket } = request.raw;
    if (socket instanceof TLSSocket && isStranger(socket)) socket.destroy();
    else done();
  });
}

type OcspCallback = (error: Error | null, answer: Buffer | null) => void;

function isStranger(socket: TLSSocket): boolean {
  return !socket.authorized && Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
}

/** Node takes the certificates up to the first that it cannot read, and none is no error. */
function holdsCertificates(file: Buffer): boolean {
  const texts = file.toString("latin1").match(PEM_CERTIFICATES) ?? [];
  return texts.length > 0 && texts.every(isCertificate);
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text);
    return true;
  } catch {
    return false;
  }
}

/** Undefined when the option names no file. */
function readFileOf(options: TlsLaunchOptions, name: FileOption): Buffer | undefined {
  const path = options[name];
  if (path === null) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${callOf(name)}: ${path} cannot be read: ${messageOf(error)}`);
  }
}

function refuseUnusable(files: TlsOptions, { sslCertPath, sslKeyPath }: TlsLaunchOptions): void {
  try {
    createSecureContext(files);
  } catch (error) {
    const both = `${sslCertPath} (${callOf("sslCertPath")}) and ${sslKeyPath} (${callOf("sslKeyPath")})`;
    throw new UsageError(`${both} are no certificate and its key in PEM: ${messageOf(error)}`);
  }
}

/** A server must start without anybody who could type it. */
function protectedKey({ sslKeyPath }: TlsLaunchOptions): UsageError {
  const advice = `write the key without it, as \`openssl pkey -in ${sslKeyPath} -out FILE\` does`;
  const found = `${sslKeyPath} is protected by a passphrase, which cannot be given`;
  return new UsageError(`${callOf("sslKeyPath")}: ${found}: ${advice}`);
}

function needs(name: keyof TlsLaunchOptions, ...others: (keyof TlsLaunchOptions)[]): UsageError {
  return new UsageError(`${callOf(name)} needs ${others.map(callOf).join(" and ")}`);
}

const callOf = (name: keyof TlsLaunchOptions): string => `--${kebabCase(name)}`;
