import type { Readable } from 'node:stream';
import type { LogFile } from './log-file.ts';

const bufferedLinesMax = 2_000;
const lineCharactersMax = 4_096;

/** Collects the output of one app process: the newest lines stay in memory, and every line goes to the zone's log file. */
export class AppLog {
  #file: LogFile;
  #lines: string[] = [];

  constructor(file: LogFile) {
    this.#file = file;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Reads no faster than the file is written, so an app that floods its output blocks instead of filling memory. */
  async consume(output: Readable, source: string): Promise<void> {
    let rest = '';
    for await (const chunk of output.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > lineCharactersMax) {
        lines.push(rest);
        rest = '';
      }
      await this.append(lines, source);
    }
    if (rest) await this.append([rest], source);
  }

  async append(lines: string[], source: string): Promise<void> {
    const truncated = lines.map((line) => line.slice(0, lineCharactersMax));
    this.#lines = [...this.#lines, ...truncated].slice(-bufferedLinesMax);
    const at = new Date().toISOString();
    await this.#file.append(truncated.map((line) => `${at} ${source} ${line}\n`).join(''));
  }
}
