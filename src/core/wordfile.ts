// The files with the words of languages, which come with the code. In browsers they are fetched: there
// src/browser/platform/wordfile.ts takes the place of this file. Called by segmenter.ts.
import { readBuilt } from "../package-files.ts";

export const readChineseWords = (): Uint8Array => readBuilt("chinese.words");

export const readThaiWords = (): Uint8Array => readBuilt("thai.words");
