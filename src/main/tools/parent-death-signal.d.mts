/**
 * Returns a command line that runs the program and has the kernel signal it when this process dies for any reason.
 * Without util-linux (macOS) it returns the command unchanged.
 */
export function withParentDeathSignal(
  signal: NodeJS.Signals,
  command: string,
  args: string[],
): { command: string; args: string[] };
