// The part of autocannon that is used here; it comes without types. Called by overload.ts, and by the
// benchmarks of throughput and of tasks.

export interface CannonRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Called before each time that it is sent. */
  setupRequest?: (request: CannonRequest) => CannonRequest;
}

/** `duration` in seconds, or `amount` of requests. */
type CannonOptions = { url: string; connections: number; requests: CannonRequest[] } & (
  | { duration: number }
  | { amount: number }
);

interface CannonReport {
  requests: { total: number };
  /** In whole milliseconds. */
  latency: { p99: number };
  /** In seconds. */
  duration: number;
  non2xx: number;
  errors: number;
  timeouts: number;
}

interface CannonRun extends Promise<CannonReport> {
  on(event: "response", listener: (client: unknown, status: number, bytes: number, ms: number) => void): void;
}

export type Autocannon = (options: CannonOptions) => CannonRun;

const PACKAGE = "autocannon";

export async function loadAutocannon(): Promise<Autocannon> {
  const { default: autocannon } = (await import(PACKAGE)) as { default: Autocannon };
  return autocannon;
}
