import { focusManager, notifyManager, type Query, type QueryClient } from '@tanstack/react-query';
import { applyEvent } from './apply-event.ts';
import { connectWorker } from './connect-worker.ts';
import { isLive } from './is-live.ts';
import { isAway, live, setLive, setServerBuild } from './live-state.ts';
import type { FromHub, HubStatus, ToHub } from './stream-hub.ts';
import type { StreamEvent } from './topic-stream.ts';
import { pollMs } from './poll-client.ts';
import { formatTopic, type Topic } from './topic.ts';

type Connection = { send: (message: ToHub) => void; isShared: boolean };

/** Shows the worker that this tab is still open. */
const reportMs = 30_000;
/** Hidden tabs get no animation frames, so a timer takes over after this time. */
const hiddenFrameMs = 250;
/**
 * A page pauses between two updates for as long as the last one took, but at most this long, so that it handles input.
 */
const restMsMax = 100;
/** By this time, the server has listed what changed during the outage. */
const relistMs = 1_500;

/** Follows the topics of the mounted pages of this tab, and writes what changes to the query cache. */
export class LiveClient {
  readonly #topics = new Map<string, number>();
  /** The events that are not shown yet; of one item, only the newest. */
  readonly #queue = new Map<string, StreamEvent>();
  #connection: Connection | undefined;
  #queryClient: QueryClient | undefined;
  #hubStatus: HubStatus = { state: 'connecting', since: new Date().toISOString() };
  #pausedAt: string | undefined;
  #isUpdating = false;
  #isReporting = false;
  follow(topics: readonly Topic[], queryClient: QueryClient): () => void {
    this.#queryClient = queryClient;
    const texts = topics.map(formatTopic);
    for (const text of texts) this.#topics.set(text, (this.#topics.get(text) ?? 0) + 1);
    this.#report();
    return () => {
      for (const text of texts) {
        const users = (this.#topics.get(text) ?? 1) - 1;
        if (users > 0) this.#topics.set(text, users);
        else this.#topics.delete(text);
      }
      this.#report();
    };
  }

  togglePause(): void {
    this.#pausedAt = this.#pausedAt === undefined ? new Date().toISOString() : undefined;
    if (this.#pausedAt !== undefined) this.#queue.clear();
    // Queries poll only while the window has the focus, so a pause counts as losing it.
    focusManager.setFocused(this.#pausedAt === undefined ? undefined : false);
    this.#sendTopics();
    this.#setStatus();
  }

  /** Several parts of a page come and go together. */
  #report(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    setTimeout(() => {
      this.#isReporting = false;
      this.#sendTopics();
    }, 0);
  }

  #sendTopics(): void {
    this.#connection ??= this.#connect();
    const { send, isShared } = this.#connection;
    // Without a worker, a hidden tab leaves its connection to the visible ones.
    const isActive = this.#pausedAt === undefined && (isShared || document.visibilityState === 'visible');
    send({ type: 'topics', topics: isActive ? [...this.#topics.keys()] : [] });
  }

  #connect(): Connection {
    document.addEventListener('visibilitychange', () => {
      this.#sendTopics();
      if (document.visibilityState === 'visible') this.#connection?.send({ type: 'wake' });
    });
    window.addEventListener('online', () => this.#connection?.send({ type: 'wake' }));
    window.addEventListener('pagehide', () => this.#connection?.send({ type: 'leave' }));
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#sendTopics());
    setInterval(() => this.#sendTopics(), reportMs);
    return typeof SharedWorker === 'undefined' ? this.#openHub() : this.#openWorker();
  }

  #openWorker(): Connection {
    const send = connectWorker({
      onMessage: (message) => this.#receive(message),
      onMissing: () => this.#replace(this.#openHub()),
      onGone: () => this.#replace(this.#openWorker()),
    });
    return { send, isShared: true };
  }

  #replace(connection: Connection): void {
    this.#connection = connection;
    this.#sendTopics();
  }

  /** Few browsers need it, so it is not part of the first load. */
  #openHub(): Connection {
    const hub = import('./stream-hub.ts').then(
      ({ StreamHub }) => new StreamHub().connect((message) => this.#receive(message)),
      () => this.#poll(),
    );
    return { send: (message) => void hub.then((send) => send(message)), isShared: false };
  }

  /** An update of the service may have removed the file of the hub. */
  #poll(): (message: ToHub) => void {
    let topics: string[] = [];
    this.#receive({ type: 'status', status: { state: 'polling', since: new Date().toISOString() } });
    setInterval(() => {
      if (topics.length > 0) this.#receive({ type: 'event', event: { event: 'relist', topics } });
    }, pollMs);
    return (message) => {
      if (message.type === 'topics') topics = message.topics;
    };
  }

  #receive(message: FromHub): void {
    if (message.type === 'event') this.#enqueue(message.event);
    else if (message.type === 'build') setServerBuild(message.build);
    else {
      const before = this.#hubStatus.state;
      this.#hubStatus = message.status;
      this.#setStatus();
      if (message.status.state === 'signed-out' && this.#topics.size > 0) live.onSignedOut();
      if (message.status.state === 'live') this.#catchUp(before === 'reconnecting');
    }
  }

  /** A page that could not be read is read again when the server is back, and then all that no event has renewed. */
  #catchUp(wasAway: boolean): void {
    const queryClient = this.#queryClient;
    const backAt = Date.now();
    void queryClient?.refetchQueries({ predicate: ({ state }) => state.status === 'error', type: 'active' });
    if (!wasAway) return;
    setTimeout(() => {
      const predicate = (query: Query): boolean =>
        isLive(query) && query.state.dataUpdatedAt < backAt && query.state.fetchStatus === 'idle';
      void queryClient?.invalidateQueries({ predicate });
    }, relistMs);
  }

  #enqueue(event: StreamEvent): void {
    if (this.#pausedAt !== undefined) return;
    const key = event.event === 'relist' ? `relist ${event.topics.join()}` : `${event.topic} ${event.name}`;
    this.#queue.delete(key);
    this.#queue.set(key, event);
    if (!this.#isUpdating) this.#update();
  }

  #update(): void {
    this.#isUpdating = true;
    onFrame(() => {
      const startedAt = performance.now();
      const events = [...this.#queue.values()];
      this.#queue.clear();
      const queryClient = this.#queryClient;
      if (queryClient) notifyManager.batch(() => events.forEach((event) => applyEvent(queryClient, event)));
      onFrame(() => setTimeout(() => this.#rest(), Math.min(performance.now() - startedAt, restMsMax)));
    });
  }

  #rest(): void {
    this.#isUpdating = false;
    if (this.#queue.size > 0) this.#update();
  }

  #setStatus(): void {
    const { state, since } = this.#hubStatus;
    const shown = state === 'signed-out' ? 'connecting' : state;
    const wasAway = isAway();
    setLive(this.#pausedAt === undefined ? { state: shown, since } : { state: 'paused', since: this.#pausedAt });
    if (isAway() !== wasAway) this.#resetIntervals();
  }

  /** A query that polls would otherwise send one more request before it notices that the server is unavailable. */
  #resetIntervals(): void {
    for (const { observers } of this.#queryClient?.getQueryCache().getAll() ?? [])
      for (const observer of observers) observer.setOptions(observer.options);
  }
}

function onFrame(run: () => void): void {
  let isDone = false;
  const runOnce = (): void => {
    if (!isDone) run();
    isDone = true;
  };
  requestAnimationFrame(runOnce);
  setTimeout(runOnce, hiddenFrameMs);
}
