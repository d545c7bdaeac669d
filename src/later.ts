// A timer for work that no process is kept alive for. Used where code also runs in browsers: timers are plain
// numbers there, without `unref`.

export type Timer = ReturnType<typeof setTimeout>;

export function later(action: () => void, milliseconds: number): Timer {
  const timer = setTimeout(action, milliseconds);
  (timer as { unref?(): void }).unref?.();
  return timer;
}
