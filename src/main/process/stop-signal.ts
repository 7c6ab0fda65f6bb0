/** One Ctrl-C can reach a process twice: from the terminal, and from npm, which forwards it. */
const duplicateSignalWindowMs = 1_000;

/** Resolves on the first stop signal. A later second signal exits at once. */
export async function waitForStopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let firstSignalAt: number | undefined;
    const stop = (): void => {
      if (firstSignalAt !== undefined && performance.now() - firstSignalAt > duplicateSignalWindowMs) process.exit(130);
      firstSignalAt ??= performance.now();
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  });
}
