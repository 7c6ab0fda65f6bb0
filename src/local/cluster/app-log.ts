import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const linesKept = 2_000;
const lineCharactersMax = 4_096;
/** Two files of this size at most: the newest, and the one before. */
const fileBytesMax = 2 * 1024 * 1024;

/** What one process of an app writes: its last lines at hand, and all of it at the end of its zone's file. */
export class AppLog {
  #file: LogFile;
  #lines: string[] = [];

  constructor(file: LogFile) {
    this.#file = file;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Reads no faster than can be written, so that an app that floods its output waits instead of filling our memory. */
  async read(output: Readable, source: string): Promise<void> {
    let rest = '';
    for await (const chunk of output.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > lineCharactersMax) {
        lines.push(rest);
        rest = '';
      }
      await this.#keep(lines, source);
    }
    if (rest) await this.#keep([rest], source);
  }

  async #keep(lines: string[], source: string): Promise<void> {
    const whole = lines.map((line) => line.slice(0, lineCharactersMax));
    this.#lines = [...this.#lines, ...whole].slice(-linesKept);
    const at = new Date().toISOString();
    await this.#file.append(whole.map((line) => `${at} ${source} ${line}\n`).join(''));
  }
}

/** A zone's log file, which several processes of its app share. */
export class LogFile {
  #path: string;
  #sizeBytes: number | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async append(text: string): Promise<void> {
    this.#last = this.#last.then(async () => await this.#write(text)).catch(() => undefined);
    await this.#last;
  }

  /** All that is kept, in the order in which it was written. */
  async read(): Promise<string> {
    const reading = this.#last.then(async () => {
      const parts = [`${this.#path}.1`, this.#path].map(async (path) => await readFile(path, 'utf8').catch(() => ''));
      return (await Promise.all(parts)).join('');
    });
    this.#last = reading.then(() => undefined);
    return await reading;
  }

  async remove(): Promise<void> {
    this.#last = this.#last.then(async () => {
      await rm(`${this.#path}.1`, { force: true });
      await rm(this.#path, { force: true });
      this.#sizeBytes = 0;
    });
    await this.#last;
  }

  async #write(text: string): Promise<void> {
    this.#sizeBytes ??= await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    );
    if (this.#sizeBytes > fileBytesMax) {
      await rename(this.#path, `${this.#path}.1`);
      this.#sizeBytes = 0;
    }
    await appendFile(this.#path, text);
    this.#sizeBytes += Buffer.byteLength(text);
  }
}
