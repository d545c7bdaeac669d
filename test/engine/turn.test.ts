// One turn shared by several searches: when it is given away, and when it is there again.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedTurn, type Turn } from "../../src/engine/turn.ts";

/** A turn that tells what is done with it; it is free whenever it is wanted. */
function watchedTurn(): { turn: Turn; told: string[] } {
  const told: string[] = [];
  const turn: Turn = {
    async away(wait) {
      told.push("given");
      const outcome = await wait();
      told.push("taken");
      return outcome;
    },
  };
  return { turn, told };
}

function door(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("a turn of several searches", () => {
  it("is given away while all of them are away, and taken for the first that comes back", async () => {
    const { turn, told } = watchedTurn();
    const shared = new SharedTurn(turn);
    const [one, other, rest] = [door(), door(), door()];
    const searches = [one, other].map(({ opened }) => shared.run((own) => own.away(() => opened)));
    const present = shared.run(() => rest.opened);
    await soon();
    deepEqual(told, []);
    rest.open();
    await present;
    await soon();
    deepEqual(told, ["given"]);
    one.open();
    await searches[0];
    await soon();
    // The other one is still away.
    deepEqual(told, ["given", "taken", "given"]);
    other.open();
    await Promise.all(searches);
    await soon();
    deepEqual(told, ["given", "taken", "given", "taken"]);
  });

  it("lets nothing go on before it is back", async () => {
    const taken = door();
    const turn: Turn = {
      async away(wait) {
        const outcome = await wait();
        await taken.opened;
        return outcome;
      },
    };
    const shared = new SharedTurn(turn);
    const [provider, other] = [door(), door()];
    let present = 0;
    const searches = [provider, other].map(({ opened }) =>
      shared.run(async (own) => {
        await own.away(() => opened);
        present++;
      }),
    );
    await soon();
    provider.open();
    other.open();
    await soon();
    equal(present, 0);
    taken.open();
    await Promise.all(searches);
    equal(present, 2);
  });

  it("fails those who come back when it cannot be had again, and serves others", async () => {
    let isLost = true;
    const turn: Turn = {
      async away(wait) {
        await wait();
        if (isLost) throw new Error("nobody asks any more");
        return undefined as never;
      },
    };
    const shared = new SharedTurn(turn);
    const provider = door();
    const searches = [1, 2].map(() => shared.run((own) => own.away(() => provider.opened)));
    await soon();
    provider.open();
    for (const search of searches) await rejects(search, /nobody asks/);
    isLost = false;
    equal(await shared.run(async (own) => own.away(async () => "found")), "found");
    equal(await shared.run(async () => "next"), "next");
  });

  it("is kept to its end when nobody is away, whatever fails", async () => {
    const { turn, told } = watchedTurn();
    const shared = new SharedTurn(turn);
    await rejects(
      shared.run(() => Promise.reject(new Error("broken"))),
      /broken/,
    );
    await rejects(
      shared.run((own) => own.away(() => Promise.reject(new Error("lost")))),
      /lost/,
    );
    await soon();
    equal(told.filter((word) => word === "given").length, told.filter((word) => word === "taken").length);
  });
});
