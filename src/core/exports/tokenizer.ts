// The kernels of the tokenizer (assembly/tokenizer.ts), for src/core/tokenizer.ts.

export interface TokenizerExports {
  tokenizerBytes(): number;
  tokenizerPrepare(tokenizer: number, patterns: number, flags: number): void;
  tokenizerStart(tokenizer: number, text: number, length: number, locale: number): void;
  tokenizerNext(tokenizer: number): number;
  tokenizerWhole(tokenizer: number, text: number, length: number, locale: number): void;
  tokenizerTokens(tokenizer: number): number;
}
