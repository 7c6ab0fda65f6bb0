import { mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';

/**
 * Opens the log of the platform, which outlives a full disk: lines without space are dropped. pino's own file ends the
 * process on a failed write, after it has repeated the write in a loop that blocks the process until there is space.
 */
export function openLogFile(file: string, level: string): Logger {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a');
  let isCutOff = false;
  const write = (line: string): void => {
    const bytes = Buffer.from(isCutOff ? `\n${line}` : line);
    try {
      isCutOff = writeSync(descriptor, bytes) < bytes.length;
    } catch {
      // `watchFreeSpace` reports the disk.
    }
  };
  return pino({ level }, { write });
}
