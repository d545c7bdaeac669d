// What has to work in every runtime, by the name that the table of the README shows. Each one throws when it
// does not. The bundles are tried, as they are shipped; run.ts runs all of them, under any runtime.
import { closingFeatures } from "./closing.ts";
import { exampleFeatures } from "./examples.ts";
import { libraryFeatures } from "./library.ts";
import { serverFeatures } from "./server.ts";

export type Feature = () => Promise<void>;

export const features: Record<string, Feature> = {
  ...libraryFeatures,
  ...closingFeatures,
  ...serverFeatures,
  ...exampleFeatures,
};
