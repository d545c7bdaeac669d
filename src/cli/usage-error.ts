// A mistake in how a command was called or in what it was pointed at. src/cli.ts prints the message alone,
// without a stack, and ends with the exit code; every command throws these.

export class UsageError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
