// Which connections are ended when too much of what was answered is not read.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { UnreadAnswers } from "../../src/http/unreadanswers.ts";

class TestSocket extends EventEmitter {
  isOpen = true;

  destroy(): void {
    this.isOpen = false;
    process.nextTick(() => this.emit("close"));
  }
}

/** A connection to which answers are given. */
class Connection {
  readonly #socket = new TestSocket();
  readonly #unread: UnreadAnswers;

  constructor(unread: UnreadAnswers) {
    this.#unread = unread;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  answer(bytes: number): ServerResponse {
    const response = new EventEmitter() as ServerResponse;
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
