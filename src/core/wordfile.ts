// The files of words for languages, which come with the code. In browsers they are fetched: there,
// src/browser/platform/wordfile.ts replaces this file. Called by segmenter.ts.
import { readBuilt } from "../package-files.ts";

export const readChineseWords = (): Uint8Array => readBuilt("chinese.words");

export const readThaiWords = (): Uint8Array => readBuilt("thai.words");
