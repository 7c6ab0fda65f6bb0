import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { waitUntil } from '../support/platform/wait-until.ts';

/** The members of acme, the attackers, and the platform admin. */
export const people = ['root', 'ada', 'alice', 'vic', 'mallory', 'nora'] as const;
export type Person = (typeof people)[number];
export type Credentials = { email: string; password: string; token: string; cookie: string };

declare module 'vitest' {
  interface ProvidedContext {
    redTeam: WorldFacts;
  }
}

/** The platform, which one process of the run starts, as the workers of the tests see it. */
export type WorldFacts = {
  port: number;
  url: string;
  /** The operators' port, which serves the metrics. */
  metricsPort: number;
  codehostUrl: string;
  dataDir: string;
  pid: number;
  credentials: Record<Person, Credentials>;
  /** A Release of acme's Product "shop" that waits for approval in the zone "shop-prod". */
  release: string;
  /** A run of acme that waits for a person. */
  run: string;
  /** A server of the host on loopback. Its response contains the secret, which is also in a file and in an environment. */
  canary: { port: number; secret: string; file: string; pid: number; abstractSocket: string };
};

export type CallOptions = { as?: Person; body?: unknown; headers?: Record<string, string> };
/** Calls a path under `/api`. */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Response>;
export type RawResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

export type World = WorldFacts & ReturnType<typeof createWorld>;

/** Adds what the attacks do with a platform. */
export function createWorld(facts: WorldFacts) {
  const call: Call = async (method, path, { as, body, headers = {} } = {}) => {
    const send = async (): Promise<Response> =>
      await fetch(`${facts.url}/api${path}`, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...(as && { authorization: `Bearer ${facts.credentials[as].token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    // The API may close a kept connection while a request is on its way.
    return await send().catch(async (error: Error) => {
      const { code = '' } = (error.cause ?? {}) as { code?: string };
      if (!['UND_ERR_SOCKET', 'ECONNRESET'].includes(code)) throw error;
      return await send();
    });
  };
  const read = async <T>(path: string, as: Person = 'root'): Promise<T> =>
    (await (await call('GET', path, { as })).json()) as T;
  const write = async <T>(method: string, path: string, as: Person, body?: unknown): Promise<T> => {
    const response = await call(method, path, { as, body });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer}`);
    return (answer === '' ? undefined : JSON.parse(answer)) as T;
  };
  return {
    ...facts,
    call,
    read,
    write,
    /** Runs with the store of the platform, as a cluster's admin could with kubectl. */
    async withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
      const store = openSqliteStore({ file: join(facts.dataDir, 'store.sqlite') });
      return await use(store).finally(async () => await store.close());
    },
    /** Starts a run of acme that waits for a person. */
    startWaitingRun: async (): Promise<string> => await startWaitingRun({ read, write }),
    /** The headers of a browser in which the person is signed in. */
    asBrowser: (person: Person, headers: Record<string, string> = {}) => ({
      headers: { cookie: facts.credentials[person].cookie, ...headers },
    }),
  };
}

type Api = Pick<ReturnType<typeof createWorld>, 'read' | 'write'>;

export async function startWaitingRun({ read, write }: Api): Promise<string> {
  const body = { agentWorkflow: 'ask', product: 'shop', instructions: 'Ask a person.' };
  const { name } = await write<{ name: string }>('POST', '/v1/orgs/acme/agentworkflowruns', 'alice', body);
  await waitUntil(
    async () => await read<{ status: { steps: { phase: string }[] } }>(`/v1/orgs/acme/agentworkflowruns/${name}`),
    ({ status }) => status.steps.some(({ phase }) => phase === 'Waiting'),
  );
  return name;
}

type RawRequest = { port: number; path: string; method?: string; headers?: Record<string, string>; body?: string };

/** Sends one request to loopback with exactly these headers and this path, which `fetch` would normalize. */
export async function sendRequest({
  port,
  path,
  method = 'GET',
  headers = {},
  body,
}: RawRequest): Promise<RawResponse> {
  return await new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
    outgoing.on('error', reject).on('response', (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

type Sending = { port: number; bytes: string; silenceMs: number; expected: string };

/** Sends bytes to loopback and returns what comes back until it has the expected text, or the connection is silent. */
export async function sendBytes({ port, bytes, silenceMs, expected }: Sending): Promise<string> {
  return await new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes(expected)) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}
