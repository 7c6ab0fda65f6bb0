/** One Ctrl-C can reach a process twice: from the terminal, and from npm, which forwards it. */
const duplicateSignalWindowMs = 1_000;

/** Turns of agents and deployments get this long to reach a point where they can stop. */
export const stopTimeoutMs = 30_000;

/** Resolves on the first stop signal. A later second signal ends the process at once. */
export async function waitForStopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let firstSignalAt: number | undefined;
    const stop = (): void => {
      if (firstSignalAt !== undefined && performance.now() - firstSignalAt > duplicateSignalWindowMs) endProcess();
      firstSignalAt ??= performance.now();
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  });
}

/** Waits for a stop, and ends the process when it takes too long: a full disk can block it for ever. */
export async function stopWithin(stop: () => Promise<void>, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => {
    process.stderr.write(`The platform did not stop within ${timeoutMs / 1000} s, so it was killed. State is kept.\n`);
    endProcess();
  }, timeoutMs);
  try {
    await stop();
  } finally {
    clearTimeout(timer);
  }
}

/** `process.exit` waits for native threads, which a full disk can block; the kernel does not. */
const endProcess = (): boolean => process.kill(process.pid, 'SIGKILL');
