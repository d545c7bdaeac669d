// Requests that are answered before their body has arrived, as refused uploads are. Some clients (urllib of
// Python, Apache as a proxy) send everything before they read. Cut at once, the connection would be broken
// for them, and the refusal lost; so the rest of the body is read and dropped, also when the connection ends
// after the answer. Called by connections.ts.
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";

/** To be called before a request with a body is answered. */
export function keepForBody(request: IncomingMessage): void {
  const { socket } = request;
  // Injected requests have no connection.
  if (!("destroySoon" in socket)) return;
  // Node calls this after the last answer.
  const end = () => endAfter(request, socket);
  socket.destroySoon = end;
  // Else a connection that idles would keep the request and its head, which may be long. The next one may
  // have begun.
  request.once("close", () => {
    if (socket.destroySoon === end) socket.destroySoon = Socket.prototype.destroySoon;
  });
}

/** To be called when it is answered. */
export function dropRest(request: IncomingMessage): void {
  // Node drops only bodies that nobody has begun to read. Who did may have stopped in the middle.
  if (!request.complete) request.unpipe().resume();
}

function endAfter(request: IncomingMessage, socket: Socket): void {
  if (request.complete || request.destroyed) endNow(socket);
  else {
    request.once("close", () => socket.destroy());
    socket.end();
  }
}

/** Ends a connection as soon as what was written is sent, whatever still arrives. */
export function endNow(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}
