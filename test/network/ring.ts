// Servers of one process that share documents. Used by the tests of sharding.
import type { Fixture } from "./fixture.ts";

const POLL_MS = 5;

/** Makes the servers one network, each with all of them as remotes. */
export async function join(fixtures: readonly Fixture[], names: readonly string[]): Promise<void> {
  const urls = await Promise.all(fixtures.map((fixture) => fixture.url || fixture.listen()));
  const remotes = Object.fromEntries(names.map((name, i) => [name, { url: `${urls[i]}/` }]));
  for (const fixture of fixtures) await fixture.ask("PATCH /experimental-features", { network: true });
  for (const [i, fixture] of fixtures.entries())
    await fixture.ask("PATCH /network", { self: names[i], remotes, sharding: true });
}

/** Waits until nothing is to be sent or done. */
export async function settled(fixtures: readonly Fixture[]): Promise<void> {
  for (;;) {
    await Promise.all(fixtures.map(({ instance }) => instance.idle()));
    if (fixtures.every(({ instance }) => instance.outgoing().size === 0)) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await Promise.all(fixtures.map(({ instance }) => instance.idle()));
}
