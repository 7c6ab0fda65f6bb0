import { TopicStream, type StreamEvent, type StreamState, type StreamTimes } from './topic-stream.ts';

export type HubStatus = { state: StreamState; since: string };
export type ToHub = { type: 'topics'; topics: string[] } | { type: 'wake' } | { type: 'leave' };
export type FromHub =
  | { type: 'status'; status: HubStatus }
  | { type: 'event'; event: StreamEvent }
  | { type: 'build'; build: string };
export type HubPort = { topics: ReadonlySet<string>; seenAt: number; send: (message: FromHub) => void };

/** The API takes no more in one stream; the tabs read the others again and again. */
const topicsMax = 100;
const pollMs = 10_000;
/** The browser does not tell that a tab has gone. Hidden tabs report once a minute. */
const portMsMax = 180_000;
/** A page and its frame name their topics one after the other. */
const joinMs = 20;
/** The server names the topics to read when it has subscribed to them. */
const relistMsMax = 500;

/** Holds one stream for the topics of all tabs. */
export class StreamHub {
  readonly #ports = new Set<HubPort>();
  readonly #stream: TopicStream;
  /** The topics that were added and that their tabs have to read, once changes of them arrive. */
  readonly #added = new Set<string>();
  #overflow: string[] = [];
  #status: HubStatus = { state: 'connecting', since: new Date().toISOString() };
  #build: string | undefined;
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  #relistTimer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;

  constructor(times: Partial<StreamTimes> = {}) {
    this.#stream = new TopicStream(
      {
        onState: (state) => this.#setState(state),
        onEvent: (event) => this.#receive(event),
        onBuild: (build) => this.#setBuild(build),
      },
      times,
    );
  }

  /** Adds a tab and returns what to do with its messages. */
  connect(send: (message: FromHub) => void): (message: ToHub) => void {
    const port: HubPort = { topics: new Set(), seenAt: Date.now(), send };
    return (message) => {
      if (message.type === 'wake') this.#stream.wake();
      else if (message.type === 'leave') this.#remove(port);
      else this.#setTopics(port, message.topics);
    };
  }

  #setTopics(port: HubPort, topics: string[]): void {
    port.seenAt = Date.now();
    if (!this.#ports.has(port)) {
      this.#ports.add(port);
      port.send({ type: 'status', status: this.#status });
      if (this.#build !== undefined) port.send({ type: 'build', build: this.#build });
    }
    const added = topics.filter((topic) => !port.topics.has(topic));
    port.topics = new Set(topics);
    for (const other of this.#ports) if (port.seenAt - other.seenAt > portMsMax) this.#remove(other);
    const streamed = this.#stream.state === 'live' ? added.filter((topic) => this.#stream.topics.includes(topic)) : [];
    if (streamed.length > 0) port.send({ type: 'event', event: { event: 'relist', topics: streamed } });
    for (const topic of added) if (!streamed.includes(topic)) this.#added.add(topic);
    this.#schedule(added.length > streamed.length);
  }

  #remove(port: HubPort): void {
    this.#ports.delete(port);
    port.topics = new Set();
    if (this.#ports.size === 0) this.#open();
    else this.#schedule(false);
  }

  /** Topics that no tab needs stay in the stream until it is opened again. */
  #schedule(hasAdded: boolean): void {
    const isUsed = [...this.#ports].some(({ topics }) => topics.size > 0);
    if (isUsed && !hasAdded) return;
    clearTimeout(this.#openTimer);
    this.#openTimer = setTimeout(() => this.#open(), joinMs);
  }

  #open(): void {
    clearTimeout(this.#openTimer);
    const wanted = [...new Set([...this.#ports].flatMap(({ topics }) => [...topics]))].toSorted();
    if (wanted.length === 0) {
      this.#added.clear();
      this.#overflow = [];
      this.#stream.close();
    } else {
      // The oldest topics belong to tabs that have not moved for the longest time.
      this.#overflow = wanted.slice(topicsMax);
      this.#stream.open(wanted.slice(0, topicsMax));
      if (this.#stream.state === 'live') this.#awaitRelist();
    }
    this.#poll();
  }

  #receive(event: StreamEvent): void {
    if (event.event === 'relist') this.#relist(event.topics);
    else for (const port of this.#ports) if (port.topics.has(event.topic)) port.send({ type: 'event', event });
  }

  #relist(topics: Iterable<string>): void {
    clearTimeout(this.#relistTimer);
    const all = new Set([...topics, ...this.#added]);
    this.#added.clear();
    for (const port of this.#ports) {
      const own = [...port.topics].filter((topic) => all.has(topic));
      if (own.length > 0) port.send({ type: 'event', event: { event: 'relist', topics: own } });
    }
  }

  #awaitRelist(): void {
    clearTimeout(this.#relistTimer);
    this.#relistTimer = setTimeout(() => this.#relist([]), relistMsMax);
  }

  #setState(state: StreamState): void {
    this.#status = { state, since: new Date().toISOString() };
    if (state === 'live') this.#awaitRelist();
    // Reads fail while the server is away; everything is read when it is back.
    else if (state === 'reconnecting') clearTimeout(this.#relistTimer);
    this.#poll();
    for (const port of this.#ports) port.send({ type: 'status', status: this.#status });
  }

  /** Without a stream, and for topics beyond its limit, the tabs read again. */
  #poll(): void {
    clearInterval(this.#pollTimer);
    if (this.#status.state !== 'polling' && this.#overflow.length === 0) return;
    this.#pollTimer = setInterval(
      () => this.#relist(this.#status.state === 'polling' ? this.#stream.topics : this.#overflow),
      pollMs,
    );
  }

  #setBuild(build: string): void {
    if (build === this.#build) return;
    this.#build = build;
    for (const port of this.#ports) port.send({ type: 'build', build });
  }
}
