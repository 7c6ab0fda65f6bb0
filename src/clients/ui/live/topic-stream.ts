import { createParser } from 'eventsource-parser';

export type StreamState = 'connecting' | 'live' | 'polling' | 'reconnecting' | 'signed-out';
export type StreamEvent =
  /** Its data has the view, which may be large: only a tab that shows it parses it. */
  | { event: 'changed'; topic: string; name: string; data: string }
  | { event: 'deleted'; topic: string; name: string }
  | { event: 'relist'; topics: string[] };

export type StreamHandlers = {
  onState: (state: StreamState) => void;
  onEvent: (event: StreamEvent) => void;
  /** Called with the name of the build of the UI that the server has now. */
  onBuild: (build: string) => void;
};
export type StreamTimes = { retryMsMin: number; retryMsMax: number; headersMsMax: number; silenceMsMax: number };

const defaultTimes: StreamTimes = {
  retryMsMin: 1_000,
  retryMsMax: 30_000,
  // A proxy that collects a response before it passes it on never gets to its end.
  headersMsMax: 20_000,
  // The server sends a sign of life every 15 seconds.
  silenceMsMax: 40_000,
};

/** The topic and name of a change, which the server writes before the view. */
const changedHead = /^\{"topic":"([^"\\]+)","name":"([^"\\]+)","view":/;

/** A response that will not be better at the next attempt: the server or a proxy does not stream. */
class NoStreamError extends Error {}

/** One connection to `/v1/me/stream`, which is opened again until it is closed or the session has ended. */
export class TopicStream {
  readonly #handlers: StreamHandlers;
  readonly #times: StreamTimes;
  #topics: readonly string[] = [];
  #lastId: string | undefined;
  #attempts = 0;
  #heardAt = 0;
  #state: StreamState = 'connecting';
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: StreamHandlers, times: Partial<StreamTimes> = {}) {
    this.#handlers = handlers;
    this.#times = { ...defaultTimes, ...times };
  }

  get topics(): readonly string[] {
    return this.#topics;
  }

  get state(): StreamState {
    return this.#state;
  }

  /** Connects with these topics, from the last event that was received. */
  open(topics: readonly string[]): void {
    this.#topics = topics;
    this.#attempts = 0;
    // A tab that comes after the next sign-in must not be sent back to it.
    if (this.#state === 'signed-out') this.#setState('connecting');
    this.#connect();
  }

  close(): void {
    this.#disconnect();
    this.#topics = [];
    this.#setState('connecting');
  }

  /** Tries again at once, as when the network is back; a connection that has gone silent is replaced. */
  wake(): void {
    if (this.#topics.length === 0 || this.#state === 'signed-out') return;
    const isSilent = Date.now() - this.#heardAt > this.#times.silenceMsMax / 2;
    if (this.#controller ? !isSilent : Date.now() - this.#heardAt < this.#times.retryMsMin) return;
    this.#attempts = 0;
    this.#connect();
  }

  #connect(): void {
    this.#disconnect();
    const controller = new AbortController();
    this.#controller = controller;
    this.#heardAt = Date.now();
    this.#read(controller).then(
      () => this.#retry(controller, 'reconnecting'),
      (error: unknown) => this.#retry(controller, error instanceof NoStreamError ? 'polling' : 'reconnecting'),
    );
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#controller = undefined;
  }

  #retry(controller: AbortController, state: StreamState): void {
    if (this.#controller !== controller) return;
    this.#disconnect();
    this.#setState(state);
    const { retryMsMin, retryMsMax } = this.#times;
    const most = Math.min(retryMsMin * 2 ** (this.#attempts + 1), retryMsMax);
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.#connect(), most / 2 + (Math.random() * most) / 2);
  }

  async #read(controller: AbortController): Promise<void> {
    const watchdog = this.#watch(controller);
    try {
      const response = await fetch(`/api/v1/me/stream?topics=${encodeURIComponent(this.#topics.join(','))}`, {
        headers: { Accept: 'text/event-stream', ...(this.#lastId !== undefined && { 'Last-Event-ID': this.#lastId }) },
        cache: 'no-store',
        signal: controller.signal,
      });
      const build = response.headers.get('X-UI-Build');
      if (build !== null) this.#handlers.onBuild(build);
      if (response.status === 401) return this.#end(controller);
      if (!response.ok || !response.body || !isEventStream(response))
        throw isTemporary(response.status) ? new Error(response.statusText) : new NoStreamError(response.statusText);
      await this.#follow(controller, response.body, watchdog);
    } catch (error) {
      // The watchdog aborts with the reason that it has found.
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      watchdog.stop();
    }
  }

  async #follow(
    controller: AbortController,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    watchdog: Watchdog,
  ): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (id !== undefined) this.#lastId = id;
        this.#receive(event ?? '', data);
      },
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    // Behind a proxy that collects responses, only the first bytes prove the stream.
    if (this.#state !== 'polling') this.#setState('live');
    watchdog.restart(new NoStreamError('The connection has never sent anything.'));
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (this.#controller !== controller) return;
      watchdog.restart(new Error('The connection has gone silent.'));
      this.#heardAt = Date.now();
      this.#attempts = 0;
      this.#setState('live');
      parser.feed(read.value);
    }
  }

  #receive(event: string, data: string): void {
    const [, topic, name] = (event === 'changed' && changedHead.exec(data)) || [];
    if (topic !== undefined && name !== undefined)
      return this.#handlers.onEvent({ event: 'changed', topic, name, data });
    const parsed = JSON.parse(data) as Record<string, never>;
    if (event === 'changed' || event === 'deleted' || event === 'relist')
      this.#handlers.onEvent({ ...(parsed as object), data, event } as StreamEvent);
    // Reading these topics tells the person why they may no longer see them.
    else if (event === 'closed' && Array.isArray(parsed['topics']))
      this.#handlers.onEvent({ event: 'relist', topics: parsed['topics'] as string[] });
  }

  #watch(controller: AbortController): Watchdog {
    const start = (ms: number, reason: Error) => setTimeout(() => controller.abort(reason), ms);
    let timer = start(this.#times.headersMsMax, new NoStreamError('The server does not respond.'));
    return {
      restart: (reason) => {
        clearTimeout(timer);
        timer = start(this.#times.silenceMsMax, reason);
      },
      stop: () => clearTimeout(timer),
    };
  }

  /** The session has ended: no further attempt can succeed before the next sign-in. */
  #end(controller: AbortController): void {
    if (this.#controller !== controller) return;
    this.#disconnect();
    this.#lastId = undefined;
    this.#setState('signed-out');
  }

  #setState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.onState(state);
  }
}

type Watchdog = { restart: (reason: Error) => void; stop: () => void };

/** A person who has too many streams may still read. */
const isTemporary = (status: number): boolean => status >= 500;
const isEventStream = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
