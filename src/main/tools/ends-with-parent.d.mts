/**
 * The command line that runs the same program but has the kernel send it the signal when we die, however we die.
 * Where there is no util-linux (macOS) it is the command as it was.
 */
export function endsWithParent(
  signal: NodeJS.Signals,
  command: string,
  args: string[],
): { command: string; args: string[] };
