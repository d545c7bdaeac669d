// POST /mcp: the Model Context Protocol (streamable HTTP, without sessions), through which language models
// use a server. A tool is a request to the routes of this server with the key of the caller, so a key can do
// the same here as anywhere. The tools are in mcptools.ts.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type * as Protocol from "@modelcontextprotocol/sdk/types.js";
import type { FastifyRequest } from "fastify";
import * as Type from "typebox";
import { TarsierError } from "../errors.ts";
import type { App, Services } from "./app.ts";
import { readTool, type ToolRequest, tools } from "./mcptools.ts";

const INSTRUCTIONS =
  "Tarsier is a search server. Call list_indexes first; get_settings tells which fields of an index can be " +
  "filtered, sorted and searched.";

/** The answer of a tool. */
interface Told {
  text: string;
  isError: boolean;
}

export function addMcpRoute(app: App, { version }: Services): void {
  const config = { action: null };
  app.post("/mcp", { config, schema: { body: Type.Unknown() } }, async (request, reply) => {
    const answer = await exchange(app, request, version.pkgVersion);
    reply.code(answer.status);
    const type = answer.headers.get("content-type");
    if (type !== null) reply.type(type);
    return answer.text();
  });
}

/** Answers one message of the protocol; nothing is remembered between messages. */
async function exchange(app: App, request: FastifyRequest, version: string): Promise<Response> {
  // Few servers are used by a model, so the library is loaded by the first message.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, protocol] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server(
    { name: "tarsier", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(protocol.ListToolsRequestSchema, () => ({ tools: tools.map(shownTool) }));
  server.setRequestHandler(protocol.CallToolRequestSchema, async ({ params }) => {
    const { text, isError } = await run(app, request, params.name, params.arguments ?? {});
    return { content: [{ type: "text", text }], isError };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  checkParameters(transport, protocol);
  try {
    return await transport.handleRequest(asWebRequest(request), { parsedBody: request.body });
  } finally {
    await server.close();
  }
}

/**
 * Checks parameters first: the library would report bad ones as an internal error, in the words of its
 * parser.
 */
function checkParameters(transport: Transport, protocol: typeof Protocol): void {
  const { InitializeRequestSchema, ListToolsRequestSchema, CallToolRequestSchema } = protocol;
  const schemas = new Map<string, Pick<typeof CallToolRequestSchema, "safeParse">>([
    ["initialize", InitializeRequestSchema as never],
    ["tools/list", ListToolsRequestSchema as never],
    ["tools/call", CallToolRequestSchema],
  ]);
  const handle = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const isRequest = "method" in message && "id" in message;
    const fault = isRequest ? schemas.get(message.method)?.safeParse(message).error?.issues[0] : undefined;
    if (!isRequest || fault === undefined) return handle?.(message, extra);
    const { jsonrpc, id } = message;
    const code = protocol.ErrorCode.InvalidParams;
    const error = { code, message: `\`${fault.path.join(".")}\`: ${fault.message}` };
    void transport.send({ jsonrpc, id, error }, { relatedRequestId: id });
  };
}

const shownTool = ({ name, description, input }: (typeof tools)[number]) => ({
  name,
  description,
  inputSchema: input as { type: "object" },
  annotations: { readOnlyHint: true },
});

/** Arguments that do not fit are reported in the answer of the tool: a model reads it and tries again. */
async function run(app: App, request: FastifyRequest, name: string, args: unknown): Promise<Told> {
  let asked: ToolRequest;
  try {
    asked = readTool(name, args);
  } catch (error) {
    if (!(error instanceof TarsierError)) throw error;
    return { text: JSON.stringify(error.toObject()), isError: true };
  }
  const { authorization } = request.headers;
  const { statusCode, payload } = await app.inject({
    method: asked.method,
    url: asked.path,
    headers: { ...(authorization !== undefined && { authorization }), ...JSON_HEADERS },
    ...(asked.body !== undefined && { payload: JSON.stringify(asked.body) }),
  });
  return { text: payload, isError: statusCode >= 400 };
}

const JSON_HEADERS = { "content-type": "application/json" };

function asWebRequest({ headers }: FastifyRequest): Request {
  const given = Object.entries(headers).filter(([, value]) => typeof value === "string") as [
    string,
    string,
  ][];
  return new Request("http://localhost/mcp", { method: "POST", headers: given });
}
