import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { ServiceError } from '../../errors.ts';
import { Refused, type Status } from './refused.ts';

export type Query = Record<string, string | number | boolean | undefined>;
export type Ask = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; query?: Query; body?: object };

/** One API server, asked until it answers: one that is away makes us slower. */
export type ApiServer = ReturnType<typeof connectApiServer>;

/** Within what an activity on the store may take (workflows/activity-options.ts), so that it is told why. */
const patienceMs = 8_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** An API server that has just come back may refuse callers until it has read who they are. */
const settlingMs = 10_000;
const headersTimeoutMs = 5_000;

export function connectApiServer(kubeConfig: KubeConfig) {
  const server = kubeConfig.getCurrentCluster()?.server.replace(/\/$/, '');
  if (server === undefined) throw new Error('The kubeconfig has no current context, or one without a cluster.');
  let connected: { key: string; requests: Dispatcher; streams: Dispatcher } | undefined;
  let lastLostAt = 0;
  const closing = new AbortController();

  /** Client-node makes a dispatcher for each request; ours are kept, until the certificates have changed. */
  async function caller() {
    const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const { ca, cert, key, rejectUnauthorized, servername } = options as Record<string, unknown>;
    const tls = JSON.stringify([ca, cert, key, rejectUnauthorized, servername].map(String));
    if (connected?.key !== tls) {
      const { agent: _, ...given } = options;
      const made = kubeConfig.createDispatcherOptions(kubeConfig.getCurrentCluster(), given as object);
      connected = { key: tls, requests: dispatcherOf(made, 128), streams: dispatcherOf(made, 1_000) };
    }
    return { ...connected, headers: options.headers as Record<string, string> };
  }

  async function once({ method, path, query, body }: Ask, signal = closing.signal): Promise<string> {
    const { requests, headers } = await caller();
    const answer = await request(`${server}${path}${search(query)}`, {
      method,
      dispatcher: requests,
      headers: { ...headers, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: headersTimeoutMs,
      signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode < 300) return text;
    throw new Refused(answer.statusCode, statusIn(text), Number(answer.headers['retry-after'] ?? 0) * 1000);
  }

  return {
    /**
     * Asks again while the API server is away. `unsure` in a refusal: an earlier try got no answer, and may have done
     * what this one was refused.
     */
    async ask<T>(asked: Ask): Promise<T> {
      const deadline = Date.now() + patienceMs;
      let unsure = false;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return JSON.parse(await once(asked)) as T;
        } catch (error) {
          const refused = error instanceof Refused ? error : undefined;
          if (!refused) lastLostAt = Date.now();
          if (refused && !mayPass(refused, Date.now() - lastLostAt < settlingMs)) throw refused.after(unsure);
          if (closing.signal.aborted) throw error;
          unsure ||= refused === undefined || refused.code >= 500;
          const pauseMs = Math.max(refused?.retryAfterMs ?? 0, pauseBefore(attempt));
          if (Date.now() + pauseMs > deadline) throw away(server, error);
          await sleep(pauseMs);
        }
      }
    },

    /** What is no object, asked for once. */
    async text(path: string, query: Query, signal: AbortSignal): Promise<string> {
      return await once({ method: 'GET', path, query }, AbortSignal.any([signal, closing.signal]));
    },

    /** The lines of a watch as they come; settles once it has begun, and the lines end when the other side ends it. */
    async follow(path: string, query: Query, signal: AbortSignal): Promise<AsyncIterable<string>> {
      const { streams, headers } = await caller();
      const answer = await request(`${server}${path}${search(query)}`, {
        dispatcher: streams,
        headers: { ...headers, accept: 'application/json' },
        headersTimeout: 30_000,
        bodyTimeout: 0,
        signal: AbortSignal.any([signal, closing.signal]),
      });
      if (answer.statusCode >= 300) throw new Refused(answer.statusCode, statusIn(await answer.body.text()));
      return linesOf(answer.body);
    },

    /** Whether it answers right now, and can reach what it keeps its objects in. */
    async ready(): Promise<boolean> {
      try {
        const { requests, headers } = await caller();
        const answer = await request(`${server}/readyz`, { dispatcher: requests, headers, headersTimeout: 2_000 });
        await answer.body.dump();
        return answer.statusCode === 200;
      } catch {
        return false;
      }
    },

    async close(): Promise<void> {
      closing.abort();
      await Promise.all([connected?.requests.destroy(), connected?.streams.destroy()]);
    },
  };
}

/** With some chance in it, so that those who lost it together do not come back together. */
export function pauseBefore(attempt: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

function dispatcherOf(options: ReturnType<KubeConfig['createDispatcherOptions']>, connections: number): Dispatcher {
  if (options.type === 'socks') throw new Error('A SOCKS proxy to the API server is not supported; use an HTTP one.');
  if (options.type === 'proxy') return new ProxyAgent({ ...options, connections } as ProxyAgent.Options);
  const connect = options.type === 'agent' ? (options.connect as Agent.Options['connect']) : undefined;
  return new Agent({ connections, keepAliveTimeout: 30_000, ...(connect && { connect }) });
}

async function* linesOf(body: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8')) {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

function search(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

function statusIn(text: string): Status {
  try {
    return JSON.parse(text) as Status;
  } catch {
    return { message: text };
  }
}

/** Whether the same question may be answered another way a moment later. */
function mayPass(refused: Refused, settling: boolean): boolean {
  if (refused.code === 429 || refused.code >= 500) return !refused.tooLarge;
  // Without a Status no part of it knows the path yet: it has not read its custom resources.
  if (refused.code === 404 && refused.status.reason === undefined) return true;
  return refused.terminating || (settling && [401, 403].includes(refused.code));
}

function away(server: string, error: unknown): ServiceError {
  const why = error instanceof Refused ? `${error.code} ${error.status.message ?? ''}` : (error as Error).message;
  return new ServiceError('unavailable', `The API server at ${server} does not answer as it should: ${why.trim()}.`, {
    retryAfterMs: 1_000,
  });
}
