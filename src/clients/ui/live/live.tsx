import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { meQuery } from '../api/queries/me.ts';
import { toUrl } from '../api/request.ts';
import { applyView } from './apply-view.ts';
import type { Topic } from './topic.ts';

type LiveStatus = { state: 'live' | 'reconnecting' | 'paused'; since: string };

const paths = {
  changes: '/v1/orgs/{org}/agentworkflowruns',
  releases: '/v1/orgs/{org}/releases',
};
const retryMsMin = 1_000;
const retryMsMax = 30_000;

type Connection = { topic: Topic; users: number; source?: EventSource; retryMs: number; timer?: number };

/** Follows the topics of all mounted pages while the tab is visible. */
class LiveStreams {
  readonly #connections = new Map<string, Connection>();
  readonly #listeners = new Set<() => void>();
  #status: LiveStatus = { state: 'live', since: new Date().toISOString() };
  #queryClient: QueryClient | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#reconsider());
    window.addEventListener('online', () => this.#reconsider());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly getStatus = (): LiveStatus => this.#status;

  follow(topic: Topic, queryClient: QueryClient): () => void {
    this.#queryClient = queryClient;
    const key = JSON.stringify(topic);
    const connection = this.#connections.get(key) ?? { topic, users: 0, retryMs: retryMsMin };
    this.#connections.set(key, connection);
    connection.users += 1;
    this.#open(connection);
    return () => {
      connection.users -= 1;
      if (connection.users > 0) return;
      close(connection);
      this.#connections.delete(key);
      this.#setState();
    };
  }

  togglePause(): void {
    this.#set(this.#status.state === 'paused' ? 'live' : 'paused');
    this.#reconsider();
  }

  /** A hidden tab gives its connection to the visible ones: with HTTP/1.1, a browser opens six to a server. */
  #reconsider(): void {
    const isActive = document.visibilityState === 'visible' && this.#status.state !== 'paused';
    for (const connection of this.#connections.values()) {
      if (!isActive) close(connection);
      else if (!connection.source) {
        connection.retryMs = retryMsMin;
        this.#open(connection);
      }
    }
    if (isActive) void this.#queryClient?.invalidateQueries();
  }

  #open(connection: Connection): void {
    if (connection.source || document.visibilityState !== 'visible' || this.#status.state === 'paused') return;
    window.clearTimeout(connection.timer);
    const { kind, org, name } = connection.topic;
    const path = name === undefined ? paths[kind] : `${paths[kind]}/{name}`;
    const source = new EventSource(toUrl(path, { org, name: name ?? '' }));
    connection.source = source;
    source.addEventListener('open', () => {
      connection.retryMs = retryMsMin;
      this.#setState();
    });
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => this.#apply(connection.topic, data));
    for (const event of ['deleted', 'relist'])
      source.addEventListener(event, () => void this.#queryClient?.invalidateQueries());
    for (const event of ['error', 'closed']) source.addEventListener(event, () => this.#retry(connection));
  }

  #apply(topic: Topic, data: string): void {
    if (this.#queryClient) applyView(this.#queryClient, topic, JSON.parse(data) as unknown);
  }

  /** The session may have ended, which reading the user finds out; a signed-out tab asks no more. */
  #retry(connection: Connection): void {
    close(connection);
    this.#setState();
    const delay = connection.retryMs * (0.5 + Math.random());
    connection.retryMs = Math.min(connection.retryMs * 2, retryMsMax);
    connection.timer = window.setTimeout(() => {
      void this.#queryClient
        ?.fetchQuery({ ...meQuery, staleTime: 0 })
        .then(() => connection.users > 0 && this.#open(connection))
        .catch(() => connection.users > 0 && this.#retry(connection));
    }, delay);
  }

  #setState(): void {
    if (this.#status.state === 'paused') return;
    const isConnected = [...this.#connections.values()].every(
      ({ source }) => source?.readyState !== EventSource.CLOSED && source,
    );
    this.#set(isConnected ? 'live' : 'reconnecting');
  }

  #set(state: LiveStatus['state']): void {
    if (state === this.#status.state) return;
    this.#status = { state, since: new Date().toISOString() };
    for (const listener of this.#listeners) listener();
  }
}

function close(connection: Connection): void {
  connection.source?.close();
  window.clearTimeout(connection.timer);
  delete connection.source;
  delete connection.timer;
}

const streams = new LiveStreams();

/** Keeps the cached data of the topics as new as the server's. */
export function useLive(...topics: Topic[]): void {
  const queryClient = useQueryClient();
  const key = JSON.stringify(topics);
  useEffect(() => {
    const stops = (JSON.parse(key) as Topic[]).map((topic) => streams.follow(topic, queryClient));
    return () => {
      for (const stop of stops) stop();
    };
  }, [key, queryClient]);
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(streams.subscribe, streams.getStatus);
export const togglePause = (): void => streams.togglePause();
