// The features of every runtime, in the one that runs the tests. tools/runtimes.mjs runs them in the others.
import { test } from "node:test";
import { features } from "./features.ts";

for (const [feature, check] of Object.entries(features)) test(feature, check);
