const encoder = new TextEncoder();
let last = { text: '', bytes: new Uint8Array() };

/** Encodes an event once for all clients, which get it one after the other. */
function encode(text: string): Uint8Array {
  if (text !== last.text) last = { text, bytes: encoder.encode(text) };
  return last.bytes;
}

/** The body of an event stream. A write waits until the connection takes it, so nothing piles up for a slow client. */
export class EventBody {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #taken = Promise.withResolvers<void>();
  #waitingSince: number | undefined;
  #isOpen = true;

  constructor(onCancel: () => void) {
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#release(),
      cancel: () => {
        this.#isOpen = false;
        this.#release();
        onCancel();
      },
    });
  }

  async write(text: string): Promise<void> {
    if (!this.#isOpen) return;
    this.#controller?.enqueue(encode(text));
    if ((this.#controller?.desiredSize ?? 1) > 0) return;
    this.#waitingSince ??= performance.now();
    await this.#taken.promise;
  }

  /** The time for which the client has not read what was written. */
  get stalledMs(): number {
    return this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#controller?.close();
    this.#release();
  }

  #release(): void {
    const { resolve } = this.#taken;
    this.#taken = Promise.withResolvers<void>();
    this.#waitingSince = undefined;
    resolve();
  }
}
