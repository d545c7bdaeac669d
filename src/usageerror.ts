// A mistake in how a command or the server was called, or in what it was pointed at. Thrown by every command
// and by node.ts; cli/commandline.ts prints only the message, without a stack, and ends with the exit code.

export class UsageError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
