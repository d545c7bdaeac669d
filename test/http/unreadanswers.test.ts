// Which connections are ended when too much of what was answered is not read.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { UnreadAnswers } from "../../src/http/unreadanswers.ts";
import { collectGarbage } from "../garbage.ts";

class TestSocket extends EventEmitter {
  isOpen = true;

  destroy(): void {
    this.isOpen = false;
    process.nextTick(() => this.emit("close"));
  }
}

/** A connection to which answers are given: the first that is not sent is closed with it. */
class Connection {
  readonly #socket = new TestSocket();
  readonly #unread: UnreadAnswers;
  #first: ServerResponse | null = null;

  constructor(unread: UnreadAnswers) {
    this.#unread = unread;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  answer(bytes: number): ServerResponse {
    const response = new EventEmitter() as ServerResponse;
    if (this.#first === null) {
      this.#first = response;
      this.#socket.once("close", () => response.emit("close"));
    }
    this.#unread.add(this.#socket as EventEmitter as Socket, response, bytes);
    return response;
  }

  leave(): void {
    this.#socket.destroy();
  }
}

function connectionsOf(bytesMax: number, count: number): Connection[] {
  const unread = new UnreadAnswers(bytesMax);
  return Array.from({ length: count }, () => new Connection(unread));
}

const longer = () => new Promise((done) => setTimeout(done, 1100));
const openOf = (connections: Connection[]) => connections.map(({ isOpen }) => isOpen);

test("beyond the bound, the connection ends that holds the most for the longest, and no other", async () => {
  const connections = connectionsOf(100, 4);
  const [small, large, pipelined, late] = connections;
  small.answer(20);
  large.answer(35);
  for (let i = 0; i < 4; i++) pipelined.answer(10);
  await longer();
  late.answer(5);
  assert.deepEqual(openOf(connections), [true, true, true, true], "just the bound");
  late.answer(1);
  assert.deepEqual(openOf(connections), [true, true, false, true]);
  late.answer(60);
  assert.deepEqual(openOf(connections), [true, false, false, true]);
  await new Promise((done) => setImmediate(done));
  late.answer(20);
  assert.equal(small.isOpen, false, "what was ended is counted off once");
});

test("as many connections end as are too many", async () => {
  const connections = connectionsOf(100, 5);
  const [late, ...old] = connections;
  for (const [at, connection] of old.entries()) connection.answer(20 + at);
  await longer();
  late.answer(70);
  assert.deepEqual(openOf(connections), [true, true, false, false, false]);
});

test("of what is unread, what has waited for longer goes before what is more", async () => {
  const connections = connectionsOf(100, 3);
  const [old, more, late] = connections;
  old.answer(30);
  await longer();
  await longer();
  more.answer(50);
  await longer();
  late.answer(30);
  assert.deepEqual(openOf(connections), [false, true, true]);
});

test("answers may be more than the bound while all are new", () => {
  const connections = connectionsOf(100, 3);
  for (const connection of connections) connection.answer(90);
  assert.deepEqual(openOf(connections), [true, true, true]);
});

test("what was sent, and what a connection that ended had waiting, is not counted any more", async () => {
  const connections = connectionsOf(100, 3);
  const [slow, quick, gone] = connections;
  slow.answer(60);
  await longer();
  for (let i = 0; i < 10; i++) quick.answer(40).emit("close");
  const first = gone.answer(10);
  for (let i = 0; i < 3; i++) gone.answer(10);
  gone.leave();
  first.emit("close");
  await new Promise((done) => setImmediate(done));
  quick.answer(40);
  assert.equal(slow.isOpen, true);
  quick.answer(1);
  assert.equal(slow.isOpen, false);
});

test("nothing is kept of a connection that ended", async () => {
  const unread = new UnreadAnswers(100);
  const ended = endedSocket(unread);
  await new Promise((done) => setImmediate(done));
  collectGarbage();
  assert.equal(ended.deref(), undefined);
  const connection = new Connection(unread);
  connection.answer(90);
  assert.ok(connection.isOpen);
});

function endedSocket(unread: UnreadAnswers): WeakRef<TestSocket> {
  const socket = new TestSocket();
  unread.add(socket as EventEmitter as Socket, new EventEmitter() as ServerResponse, 20);
  socket.destroy();
  return new WeakRef(socket);
}
