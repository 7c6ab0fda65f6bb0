import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { findConnectionErrorCode, ServiceError } from '../../errors.ts';
import { readStart } from '../../read-start.ts';
import { apiGroup } from '../../rules/resource.ts';
import { ApiServerError, parseRetryAfterMs, parseStatus, withoutWords } from './api-error.ts';

export type Query = Record<string, string | number | boolean | undefined>;
type ReadTextOptions = { signal: AbortSignal; bytesMax: number };
export type ApiRequest = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; query?: Query; body?: object };

/** A client of one API server. It retries while the server is unavailable, so that an outage only slows callers down. */
export type ApiServer = ReturnType<typeof connectApiServer>;

/** Shorter than the timeout of an activity (workflows/activity-options.ts), so that the caller learns the cause. */
const defaultRetryTimeoutMs = 8_000;
const backoffMinMs = 50;
const backoffMaxMs = 1_000;
/** An API server that just restarted may reject valid callers until it has loaded their roles. */
const recoveryMs = 10_000;
const headersTimeoutMs = 5_000;
/** API servers send a bookmark each minute, so a silent watch has lost its connection without a sign of it. */
const defaultWatchIdleTimeoutMs = 150_000;
const proxiedBytesMax = 4_096;

type ConnectOptions = {
  /** Creates the connections instead of the kubeconfig, for an API server that a person named. */
  createDispatcher?: (connections: number) => Dispatcher;
  /** The name of a workload cluster. Its zones are of tenants, who learn neither its address nor the words of its server. */
  workloadCluster?: string;
  /** The time without a byte after which a watch fails; by default two and a half minutes. */
  watchIdleTimeoutMs?: number;
  /** The time for which a request is repeated while the server is unavailable; by default 8 s. */
  retryTimeoutMs?: number;
};

export function connectApiServer(
  kubeConfig: KubeConfig,
  {
    createDispatcher,
    workloadCluster,
    watchIdleTimeoutMs = defaultWatchIdleTimeoutMs,
    retryTimeoutMs = defaultRetryTimeoutMs,
  }: ConnectOptions = {},
) {
  const server = kubeConfig.getCurrentCluster()?.server.replace(/\/$/, '');
  if (server === undefined) throw new Error('The kubeconfig has no current context, or one without a cluster.');
  let connected: { key: string; requests: Dispatcher; streams: Dispatcher } | undefined;
  let lastDisconnectedAt = 0;
  const closing = new AbortController();

  /** Client-node creates a dispatcher per request; this one reuses its dispatchers until the certificates change. */
  async function getConnection() {
    const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const { ca, cert, key, rejectUnauthorized, servername } = options as Record<string, unknown>;
    const tls = JSON.stringify([ca, cert, key, rejectUnauthorized, servername].map(String));
    if (connected?.key !== tls) {
      const { agent: _, ...tlsOptions } = options;
      const create = createDispatcher ?? createConfiguredDispatcher(kubeConfig, tlsOptions as object);
      connected = { key: tls, requests: create(128), streams: create(1_000) };
    }
    return { ...connected, headers: options.headers as Record<string, string> };
  }

  async function send({ method, path, query, body }: ApiRequest): Promise<string> {
    const { requests, headers } = await getConnection();
    const response = await request(`${server}${path}${toQueryString(query)}`, {
      method,
      dispatcher: requests,
      headers: { ...headers, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: headersTimeoutMs,
      signal: closing.signal,
    });
    const text = await response.body.text();
    if (response.statusCode < 300) return text;
    const status = workloadCluster === undefined ? parseStatus(text) : withoutWords(parseStatus(text));
    throw new ApiServerError(response.statusCode, status, parseRetryAfterMs(response.headers['retry-after']));
  }

  /** Returns whether the server responds now and can reach etcd. */
  async function isReady(): Promise<boolean> {
    try {
      const { requests, headers } = await getConnection();
      const response = await request(`${server}/readyz`, { dispatcher: requests, headers, headersTimeout: 2_000 });
      await response.body.dump();
      return response.statusCode === 200;
    } catch {
      return false;
    }
  }

  return {
    /**
     * Retries while the API server is unavailable. An error with `mayHaveApplied` means that an earlier attempt got no
     * response and may have caused the conflict itself.
     */
    async request<T>(apiRequest: ApiRequest): Promise<T> {
      const deadline = Date.now() + retryTimeoutMs;
      let mayHaveApplied = false;
      let wasReady = false;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return JSON.parse(await send(apiRequest)) as T;
        } catch (error) {
          const apiError = error instanceof ApiServerError ? error : undefined;
          if (!apiError) lastDisconnectedAt = Date.now();
          if (apiError && !isRetryable(apiError, Date.now() - lastDisconnectedAt < recoveryMs))
            throw apiError.withMayHaveApplied(mayHaveApplied);
          if (closing.signal.aborted) throw error;
          const isUnknown = apiError?.isUnknownPath === true && isOptional(apiRequest.path);
          if (isUnknown && wasReady) throw apiError;
          wasReady = isUnknown && (await isReady());
          mayHaveApplied ||= apiError === undefined || apiError.code >= 500;
          const delayMs = Math.max(apiError?.retryAfterMs ?? 0, toBackoffMs(attempt));
          if (Date.now() + delayMs > deadline) throw unavailableError(workloadCluster, error);
          await sleep(delayMs);
        }
      }
    },

    /** Reads the start of a plain-text resource such as a log, without retries. */
    async readText(path: string, query: Query, { signal, bytesMax }: ReadTextOptions): Promise<string> {
      const { requests, headers } = await getConnection();
      const response = await request(`${server}${path}${toQueryString(query)}`, {
        dispatcher: requests,
        headers: { ...headers, accept: 'application/json' },
        headersTimeout: headersTimeoutMs,
        signal: AbortSignal.any([signal, closing.signal]),
      });
      const text = await readStart(response.body, bytesMax);
      if (response.statusCode < 300) return text;
      throw new ApiServerError(response.statusCode, parseStatus(text));
    },

    /** Requests the root of a Service through the API server, without retries. Redirects are not followed. */
    async requestService(
      { namespace, service }: { namespace: string; service: string },
      signal: AbortSignal,
    ): Promise<{ status: number; body: string }> {
      const { requests, headers } = await getConnection();
      const [zone, target] = [namespace, service].map(encodeURIComponent);
      const response = await request(`${server}/api/v1/namespaces/${zone}/services/${target}/proxy/`, {
        dispatcher: requests,
        headers,
        signal: AbortSignal.any([signal, closing.signal]),
      });
      return { status: response.statusCode, body: await readStart(response.body, proxiedBytesMax) };
    },

    /** Streams the lines of a watch. Resolves when the response starts; the stream ends when the server closes it. */
    async streamLines(path: string, query: Query, signal: AbortSignal): Promise<AsyncIterable<string>> {
      const { streams, headers } = await getConnection();
      const response = await request(`${server}${path}${toQueryString(query)}`, {
        dispatcher: streams,
        headers: { ...headers, accept: 'application/json' },
        headersTimeout: 30_000,
        bodyTimeout: watchIdleTimeoutMs,
        signal: AbortSignal.any([signal, closing.signal]),
      });
      if (response.statusCode >= 300)
        throw new ApiServerError(response.statusCode, parseStatus(await response.body.text()));
      return readLines(response.body);
    },

    isReady,

    async close(): Promise<void> {
      closing.abort();
      await Promise.all([connected?.requests.destroy(), connected?.streams.destroy()]);
    },
  };
}

/** Adds jitter, so that clients that lost the server at the same time do not retry at the same time. */
export function toBackoffMs(attempt: number): number {
  return Math.min(backoffMaxMs, backoffMinMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Returns a function that creates dispatchers with the certificates and the proxy of a kubeconfig. */
function createConfiguredDispatcher(kubeConfig: KubeConfig, tlsOptions: object): (connections: number) => Dispatcher {
  const options = kubeConfig.createDispatcherOptions(kubeConfig.getCurrentCluster(), tlsOptions);
  return (connections) => toDispatcher(options, connections);
}

function toDispatcher(options: ReturnType<KubeConfig['createDispatcherOptions']>, connections: number): Dispatcher {
  if (options.type === 'socks') throw new Error('A SOCKS proxy to the API server is not supported; use an HTTP one.');
  if (options.type === 'proxy') return new ProxyAgent({ ...options, connections } as ProxyAgent.Options);
  const connect = options.type === 'agent' ? (options.connect as Agent.Options['connect']) : undefined;
  return new Agent({ connections, keepAliveTimeout: 30_000, ...(connect && { connect }) });
}

async function* readLines(body: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8')) {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

function toQueryString(query: Query = {}): string {
  const parameters = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

/** The kinds of other groups may be missing in a cluster; a server that is ready has loaded those that it has. */
const isOptional = (path: string): boolean => path.startsWith('/apis/') && !path.startsWith(`/apis/${apiGroup}/`);

function isRetryable(error: ApiServerError, isRecovering: boolean): boolean {
  if (error.code === 429 || error.code >= 500) return !error.isTooLarge;
  if (error.isUnknownPath) return true;
  return error.isNamespaceTerminating || (isRecovering && [401, 403].includes(error.code));
}

/** Strangers read it too, as the response to a sign-in, so it tells neither the address nor the words of the server. */
function unavailableError(workloadCluster: string | undefined, error: unknown): ServiceError {
  const server =
    workloadCluster === undefined ? 'The API server' : `The API server of the cluster "${workloadCluster}"`;
  return new ServiceError('cluster-unavailable', `${server} is unavailable${describeCode(error)}.`, {
    retryAfterMs: 1_000,
  });
}

/** Names the status of a response or the error of a connection, such as ECONNREFUSED. */
function describeCode(error: unknown): string {
  const code = error instanceof ApiServerError ? error.code : findConnectionErrorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
