// The calls that embedders make, as they see them: the client that is handed to them keeps private addresses
// out and reads answers up to a bound.

export interface Client {
  /** Rejects when there is no answer: refused address, no connection, time over, answer too large. */
  request(url: string, options: ClientRequest): Promise<ClientAnswer>;
}

export interface ClientRequest {
  method: "POST" | "GET";
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  answerBytesMax: number;
  signal?: AbortSignal;
}

export interface ClientAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array | string;
}
