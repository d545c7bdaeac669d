// The part of autocannon that benchmarks use; it comes without types. Called by parts/throughput.ts and
// tasks.bench.ts.

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

export interface CannonReport {
  requests: { total: number };
  /** In whole milliseconds. */
  latency: { p99: number };
  /** In seconds. */
  duration: number;
  non2xx: number;
  errors: number;
}

const PACKAGE = "autocannon";

export async function fire(options: CannonOptions): Promise<CannonReport> {
  const { default: autocannon } = (await import(PACKAGE)) as {
    default: (options: CannonOptions) => Promise<CannonReport>;
  };
  return autocannon(options);
}
