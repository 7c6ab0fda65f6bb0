import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { checkUrl } from '../../activities/environments/smoke-check.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { findRepositoryCredentials } from '../../src/emulators/cluster/find-repository-credentials.ts';
import { SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { repositorySecretLabels } from '../../src/kinds/argo-cd.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Attack, testAttacks } from './attacks.ts';
import type { World } from './world.ts';

/** Starts a server inside the network that counts the requests it gets. */
async function withInsideServer(use: (port: number) => Promise<unknown>, redirectTo?: string): Promise<number> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (redirectTo === undefined) response.end('{"db_password":"INTERNAL-ONLY"}');
    else response.writeHead(302, { location: redirectTo }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port);
    return requests;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const provider = (baseUrl: string) => ({ kind: 'openai-compatible' as const, model: 'm', baseUrl });

/** Mallory names an inside server as the model provider of evil. The counter-attack connects without a judge. */
const modelProvider = (name: string, toUrl: (port: number) => string): Attack => ({
  name: `a model provider is at ${name}`,
  attempt: async ({ call }) => {
    const save = async (port: number) =>
      await call('PUT', '/v1/orgs/evil/model-provider', { as: 'mallory', body: provider(toUrl(port)) });
    return (await withInsideServer(save)) > 0;
  },
  counter: async () => {
    const unjudged = {
      findProvider: async () => undefined,
      listPrices: async () => [],
      defaultProvider: undefined,
      judged: new Agent(),
    };
    const verify = async (port: number) =>
      await createModels(unjudged)
        .verifyProvider(provider(toUrl(port)))
        .catch(() => undefined);
    return (await withInsideServer(verify)) > 0;
  },
});

const check = async (url: string, allowedInside: { host: string; port: undefined }[]) =>
  await checkUrl({ url, zoneUrls: [], allowedInside, signal: AbortSignal.timeout(60_000) });

/** The smoke check of a zone leads inside. The counter-attack is on a network whose operator allows the host. */
const smokeCheck = (name: string, host: string): Attack => ({
  name: `a smoke check leads to ${name}`,
  attempt: async () => (await withInsideServer(async (port) => await check(`http://${host}:${port}/`, []))) > 0,
  counter: async () =>
    (await withInsideServer(
      async (port) =>
        await check(`http://${host}:${port}/`, [
          { host: new URL(`http://${host}`).hostname.replaceAll(/[[\]]/g, ''), port: undefined },
        ]),
    )) > 0,
});

/** Tells whether Argo CD's credentials of a repo at the code host are sent to a URL. */
async function hasCredentials(codehostUrl: string, url: string): Promise<boolean> {
  const store = openSqliteStore({ file: ':memory:' });
  try {
    await store.put(SecretKind, {
      metadata: { namespace: 'argocd', name: 'org-acme', labels: repositorySecretLabels },
      data: toSecretData({ url: `${codehostUrl}/acme/shop.git`, username: 'x', password: 'secret' }),
    });
    return (await findRepositoryCredentials(store, 'argocd')(url, 'org-acme')) !== undefined;
  } finally {
    await store.close();
  }
}

testAttacks('destinations', [
  modelProvider('a loopback address', (port) => `http://127.0.0.1:${port}/v1`),
  modelProvider('localhost', (port) => `http://localhost:${port}/v1`),
  modelProvider('a loopback address in decimal', (port) => `http://2130706433:${port}/v1`),
  modelProvider('a loopback address in octal', (port) => `http://0177.0.0.1:${port}/v1`),
  modelProvider('a short loopback address', (port) => `http://127.1:${port}/v1`),
  modelProvider('an IPv6 spelling of loopback', (port) => `http://[::ffff:127.0.0.1]:${port}/v1`),
  modelProvider('the unspecified address', (port) => `http://0.0.0.0:${port}/v1`),
  smokeCheck('a loopback address', '127.0.0.1'),
  smokeCheck('localhost', 'localhost'),
  smokeCheck('a loopback address in decimal', '2130706433'),
  {
    name: 'the credentials of a repo go to a host that begins like the code host',
    attempt: async ({ codehostUrl }) => await hasCredentials(codehostUrl, `${codehostUrl}.evil.example/acme/shop.git`),
    counter: async ({ codehostUrl }: World) => await hasCredentials(codehostUrl, `${codehostUrl}/acme/shop.git`),
  },
]);
