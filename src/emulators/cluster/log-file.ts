import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises';

/** A zone keeps two files of about this size: the current one and its predecessor. */
const fileBytesMax = 2 * 1024 * 1024;

/** The log file of a zone, shared by the processes of its app. */
export class LogFile {
  #path: string;
  #sizeBytes: number | undefined;
  #pending: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async append(text: string): Promise<void> {
    this.#pending = this.#pending.then(async () => await this.#write(text)).catch(() => undefined);
    await this.#pending;
  }

  /** Returns the retained text, oldest line first. */
  async read(): Promise<string> {
    const reading = this.#pending.then(async () => {
      const parts = [`${this.#path}.1`, this.#path].map(async (path) => await readFile(path, 'utf8').catch(() => ''));
      return (await Promise.all(parts)).join('');
    });
    this.#pending = reading.then(() => undefined);
    return await reading;
  }

  async remove(): Promise<void> {
    this.#pending = this.#pending.then(async () => {
      await rm(`${this.#path}.1`, { force: true });
      await rm(this.#path, { force: true });
      this.#sizeBytes = 0;
    });
    await this.#pending;
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
