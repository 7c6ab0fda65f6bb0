import { connect, type Socket } from 'node:net';
import { ByteBudget } from '../../api/intake/byte-budget.ts';
import { loadConfig } from '../../src/config.ts';
import type { Quotas } from '../../src/rules/quotas.ts';
import { startApi } from '../support/start-api.ts';
import { testAttacks } from './attacks.ts';
import type { World } from './world.ts';

type Send = (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Response>;

/** Sends requests to an API without the quota, as an admin of its org. */
async function withoutQuota(quotas: Partial<Quotas>, use: (send: Send) => Promise<boolean>): Promise<boolean> {
  const { request } = await startApi({ config: { quotas: { ...loadConfig({}).quotas, ...quotas } } });
  return await use(async (method, path, body, signal) => {
    const accept = { accept: signal ? 'text/event-stream' : 'application/json' };
    return await request(path, {
      method,
      via: 'session',
      headers: accept,
      ...(body && { body }),
      ...(signal && { signal }),
    });
  });
}

const sendAs =
  ({ call, url, credentials }: World, person: 'vic' | 'ada'): Send =>
  async (method, path, body, signal) => {
    if (!signal) return await call(method, path, { as: person, body });
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${credentials[person].token}` };
    return await fetch(`${url}/api${path}`, { headers, signal });
  };

const createsTokens = async (send: Send): Promise<boolean> => {
  for (let count = 0; count < 13; count += 1)
    if (!(await send('POST', '/v1/me/tokens', { label: `token ${count}` })).ok) return false;
  return true;
};

const createsZones = async (send: Send): Promise<boolean> => {
  for (let product = 0; product < 4; product += 1) {
    const zones = Array.from({ length: 10 }, (_, index) => ({
      name: `many-${product}-${index}`,
      promotionPolicy: 'after-approval',
    }));
    const body = { name: `many-${product}`, spec: { repos: [], delivery: { zones } } };
    if (!(await send('POST', '/v1/orgs/acme/products', body)).ok) return false;
  }
  return true;
};

const opensStreams = async (send: Send): Promise<boolean> => {
  const closing = new AbortController();
  try {
    // A change of roles elsewhere ends all streams once.
    for (let count = 0; count < 61; count += 1)
      if (!(await send('GET', '/v1/orgs/acme/agentworkflowruns', undefined, closing.signal)).ok) return false;
    return true;
  } finally {
    closing.abort();
  }
};

const bodyBytes = 5 * 1024 * 1024;

/** Opens deliveries that never end. Returns whether the API holds all of them, without any proof of their sender. */
async function holdsBodies({ port }: World): Promise<boolean> {
  const head = [
    'POST /api/v1/webhooks/codehost HTTP/1.1',
    `host: localhost:${port}`,
    `content-length: ${bodyBytes}`,
    `x-hub-signature-256: sha256=${'0'.repeat(64)}`,
  ];
  const sockets: Socket[] = [];
  const open = async (): Promise<string> =>
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write([...head, '', '{'].join('\r\n')));
      sockets.push(socket);
      socket.setTimeout(60_000, () => resolve(''));
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString())).on('error', () => resolve(''));
    });
  try {
    const refused = Array.from({ length: 14 }, async () => {
      const answer = await open();
      if (!answer.startsWith('HTTP/1.1 503')) throw new Error(`The API has the body: ${answer}`);
    });
    return await Promise.any(refused).then(
      () => false,
      () => true,
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

testAttacks('costs', [
  {
    name: 'one person creates tokens without end',
    attempt: async ({ call, asBrowser }) =>
      await createsTokens(async (method, path, body) => await call(method, path, { ...asBrowser('vic'), body })),
    counter: async () => await withoutQuota({ tokensPerUser: 1_000 }, createsTokens),
  },
  {
    name: 'one org creates zones without end',
    attempt: async (world) => await createsZones(sendAs(world, 'ada')),
    counter: async () => await withoutQuota({ zonesPerOrg: 1_000 }, createsZones),
  },
  {
    name: 'one person opens streams without end',
    attempt: async (world) => await opensStreams(sendAs(world, 'vic')),
    counter: async () => await withoutQuota({ streamsPerUser: 1_000 }, opensStreams),
  },
  {
    name: 'strangers fill the memory with bodies whose signature is not verified',
    attempt: holdsBodies,
    counter: async () => {
      const budget = new ByteBudget(Infinity);
      for (let count = 0; count < 14; count += 1) budget.hold(bodyBytes);
      return budget.fits(bodyBytes);
    },
  },
]);
