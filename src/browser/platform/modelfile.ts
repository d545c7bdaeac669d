// Replaces src/embedders/modelfile.ts in browsers, which have no folders of models.

export function readModelFile(folder: string, name: string): Promise<never> {
  return Promise.reject(new Error(`${folder}/${name} cannot be read in a browser`));
}
