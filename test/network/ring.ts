// Servers of one process that share documents. Used by the tests of sharding.
import type { House } from "./house.ts";

const POLL_MS = 5;

/** Makes the servers one network, each with all of them as remotes. */
export async function join(houses: readonly House[], names: readonly string[]): Promise<void> {
  const urls = await Promise.all(houses.map((house) => house.url || house.listen()));
  const remotes = Object.fromEntries(names.map((name, i) => [name, { url: `${urls[i]}/` }]));
  for (const house of houses) await house.ask("PATCH /experimental-features", { network: true });
  for (const [i, house] of houses.entries())
    await house.ask("PATCH /network", { self: names[i], remotes, sharding: true });
}

/** Waits until nothing is to be sent or done. */
export async function settled(houses: readonly House[]): Promise<void> {
  for (;;) {
    await Promise.all(houses.map(({ instance }) => instance.idle()));
    if (houses.every(({ instance }) => instance.outgoing().size === 0)) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await Promise.all(houses.map(({ instance }) => instance.idle()));
}
