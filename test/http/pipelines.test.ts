// How many requests of one connection are under way, and what its end and long answers do.
import { deepEqual, equal } from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Pipelines } from "../../src/http/pipelines.ts";

class TestSocket extends EventEmitter {
  destroyed = false;
  readonly timers: number[] = [];

  setTimeout(milliseconds: number): void {
    this.timers.push(milliseconds);
  }
}

function openPipelines(underWayMax: number) {
  const pipelines = new Pipelines(underWayMax);
  const socket = new TestSocket();
  const begun: string[] = [];
  const enter = (name: string) => pipelines.enter(socket as unknown as Socket, () => begun.push(name));
  const end = () => pipelines.end(socket as unknown as Socket);
  const watch = (milliseconds: number) => {
    const response = new EventEmitter();
    pipelines.watch(socket as unknown as Socket, response as ServerResponse, milliseconds);
    return () => response.emit("close");
  };
  return { pipelines, socket, begun, enter, end, watch };
}

test("of the requests of a connection a few are under way, and each that ends lets in the next", () => {
  const { pipelines, begun, enter, end } = openPipelines(2);
  for (const name of ["a", "b", "c", "d"]) enter(name);
  deepEqual([begun, pipelines.underWay], [["a", "b"], 2]);
  end();
  deepEqual([begun, pipelines.underWay], [["a", "b", "c"], 2]);
  for (let i = 0; i < 3; i++) end();
  deepEqual([begun.length, pipelines.underWay], [4, 0]);
});

test("a request is the only one of its connection when none is under way or waits besides it", () => {
  const { pipelines, socket, enter, end } = openPipelines(1);
  const isAlone = () => pipelines.hasOne(socket as unknown as Socket);
  equal(isAlone(), false);
  enter("a");
  equal(isAlone(), true);
  enter("b");
  equal(isAlone(), false);
  end();
  equal(isAlone(), true);
});

test("with its connection all its requests end, and none begins any more", () => {
  const { pipelines, socket, begun, enter, end } = openPipelines(2);
  for (const name of ["a", "b", "c"]) enter(name);
  socket.destroyed = true;
  end();
  deepEqual([begun, pipelines.underWay], [["a", "b"], 1]);
  socket.emit("close");
  equal(pipelines.underWay, 0);
  end();
  deepEqual([begun, pipelines.underWay], [["a", "b"], 0]);
});

test("when all long answers are read, requests under way may take their time again", () => {
  const { socket, enter, watch } = openPipelines(2);
  enter("a");
  enter("b");
  const read = [watch(50), watch(50)];
  read[0]();
  deepEqual(socket.timers, [50, 50]);
  read[1]();
  deepEqual(socket.timers, [50, 50, 0]);
});

test("between requests, the timer is left to the one who set it", () => {
  const { socket, enter, end, watch } = openPipelines(2);
  enter("a");
  const read = watch(50);
  end();
  read();
  deepEqual(socket.timers, [50]);
});
