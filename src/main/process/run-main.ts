import { toPlainText } from '../../clients/plain-text.ts';
import { HelpRequest, UsageError } from './parse-arguments.ts';

/**
 * Runs the main function of a program. A failure is printed in one line and sets a non-zero exit status. No other user of
 * the machine can read what the program and its children write: databases, repositories, blobs and logs hold secrets.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  process.umask(0o077);
  for (const output of [process.stdout, process.stderr]) output.on('error', handleOutputError);
  try {
    await main();
  } catch (error) {
    if (error instanceof HelpRequest) {
      process.stdout.write(`${error.message}\n`);
      process.exit(0);
    }
    const message = error instanceof Error ? error.message : String(error);
    const line = message.trim().replaceAll(/\s*[\r\n]\s*/g, ' ');
    process.stderr.write(`${toPlainText(line)}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}

let isOutputClosed = false;

/**
 * A program whose output goes to a file on a full disk continues without its output. One whose reader has gone, such as
 * `head`, stops as on a signal.
 */
function handleOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'ENOSPC') return;
  if (error.code !== 'EPIPE') throw error;
  if (!isOutputClosed) process.kill(process.pid, 'SIGTERM');
  isOutputClosed = true;
}
