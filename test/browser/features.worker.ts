// Runs the features of the library (test/runtime) in a page: features.ts opens it.
import { libraryFeatures } from "../runtime/library.ts";

/** Pages have one worker for everything. */
const { "library in a folder, threads": _threads, ...features } = libraryFeatures;

Object.assign(globalThis, {
  featureNames: Object.keys(features),
  tryFeature: (name: keyof typeof features) =>
    features[name]().then(
      () => null,
      (error: Error) => error.stack ?? error.message,
    ),
});
