import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { createCertificateAuthority } from '../support/servers/temporal-tls-proxy.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { credentialsDir, readOwnTls } from './temporal-access.ts';
import { sendRequest, type World } from './world.ts';

/** Lists workflows, which begins every attack that a Temporal server makes possible. */
async function listsWorkflows({ port }: World, tls: ConnectionOptions['tls'], waitMs: number): Promise<boolean> {
  const connection = Connection.lazy({ address: `127.0.0.1:${port + 4}`, tls: tls ?? false, connectTimeout: waitMs });
  const list = async () => await connection.workflowService.listWorkflowExecutions({ namespace: 'default' });
  try {
    return (await connection.withDeadline(Date.now() + waitMs, list)).executions.length > 0;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

const connection = (name: string, tls: (world: World) => Promise<ConnectionOptions['tls']>): Attack => ({
  name: `a process lists workflows ${name}`,
  attempt: async (world) => await listsWorkflows(world, await tls(world), 3_000),
  counter: async (world) => await listsWorkflows(world, await readOwnTls(world), 60_000),
});

/** Opens a page of the Web UI. The counter-attack knows its secret and its host. */
const webUi = (name: string, path: string, headers: (world: World) => Record<string, string>): Attack => {
  const opens = async ({ port }: World, own: Record<string, string>): Promise<boolean> =>
    (await sendRequest({ port: port + 3, path, headers: { host: `127.0.0.1:${port + 3}`, ...own } })).status < 400;
  return {
    name,
    attempt: async (world) => await opens(world, headers(world)),
    counter: async (world) => {
      const secret = (await readFile(join(credentialsDir(world), 'ui-secret'), 'utf8')).trim();
      return await opens(world, { cookie: `temporal_ui=${secret}` });
    },
  };
};

testAttacks('temporal', [
  connection('without TLS', async () => false),
  connection('without a certificate', async (world) => ({
    serverRootCACertificate: (await readOwnTls(world)).serverRootCACertificate ?? Buffer.alloc(0),
    serverNameOverride: 'localhost',
  })),
  connection('with a certificate of its own', async (world) => ({
    ...(await readOwnTls(world)),
    clientCertPair: await selfMade(),
  })),
  webUi('a page opens the Web UI without its secret', '/namespaces', () => ({})),
  webUi('a page guesses the secret of the Web UI', '/?secret=guess', () => ({})),
  webUi('a page reads workflows through the Web UI', '/api/v1/namespaces/default/workflows', () => ({})),
  {
    name: 'a page on a rebound host reads workflows through the Web UI',
    attempt: async (world) => await readsUi(world, 'evil.test'),
    counter: async (world) => await readsUi(world, '127.0.0.1'),
  },
]);

async function readsUi(world: World, hostName: string): Promise<boolean> {
  const port = world.port + 3;
  const secret = (await readFile(join(credentialsDir(world), 'ui-secret'), 'utf8')).trim();
  const headers = { host: `${hostName}:${port}`, cookie: `temporal_ui=${secret}` };
  return (await sendRequest({ port, path: '/api/v1/namespaces/default/workflows', headers })).status === 200;
}

async function selfMade(): Promise<{ crt: Buffer; key: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  try {
    const files = await (await createCertificateAuthority(folder)).issue('client');
    return { crt: await readFile(files.certificate), key: await readFile(files.key) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
