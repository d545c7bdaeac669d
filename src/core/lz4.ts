// What the compression of blocks (exports/lz4.ts) needs beside its input and output.

export const LZ4_TABLE_BYTES = 16384;
export const LZ4_SLACK_BYTES = 16;
