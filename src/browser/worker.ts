// x
import { openLocalEngine } from "../engine/pool.ts";
import { Instance } from "../tasks/instance.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { OpfsStorage } from "../storage/opfs.ts";
(globalThis as {x?: unknown}).x = [openLocalEngine, Instance, MemoryStorage, OpfsStorage];
