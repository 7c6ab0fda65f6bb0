import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type EgressOptions, startEgressProxy } from '../../../src/integrations/network/egress-proxy.ts';
import type { ProxyRecord } from '../../../src/integrations/network/forward-proxy.ts';
import type { CommandResult, Sandbox } from '../../../src/integrations/sandbox/sandbox.ts';
import { unconfinedSandbox } from '../../../src/integrations/sandbox/unconfined-sandbox.ts';
import { openAgentNetwork } from '../../../src/main/network/open-agent-network.ts';
import { readRegistrySettings } from '../../../src/main/network/read-registry-settings.ts';
import { egressViolation } from '../../../src/rules/network/egress-violation.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';

/** Commands with a network try to reach servers inside: directly, around the proxy, and through it. */
const sandbox = createTestSandbox();
const secret = `secret-${randomUUID()}`;
const abstractName = `inside-${randomUUID()}`;
let folder: string;
let workspace: string;
let port: number;
const lan =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one && !one.internal && one.family === 'IPv4')?.address ?? '127.0.0.1';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-'));
  const http = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: `http://inside.test:${port}/` }).end();
    else response.end(secret);
  });
  http.listen(0);
  await once(http, 'listening');
  port = (http.address() as AddressInfo).port;
  const abstract = createTcpServer((socket) => socket.on('error', () => {}).end(secret));
  abstract.listen(`\0${abstractName}`);
  await once(abstract, 'listening');
  return () => void [http.close(), abstract.close()];
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  workspace = await mkdtemp(join(folder, 'workspace-'));
});

const isPublicSite = (host: string): boolean => host === 'site.test';

/** Opens a network with the real rule; the host "site.test" is a local server that counts as public. */
async function openNetwork(options: Partial<EgressOptions> = {}) {
  const records: ProxyRecord[] = [];
  const network = await startEgressProxy({
    resolve: async (host) => (isPublicSite(host) || host === 'inside.test' ? ['127.0.0.1'] : [host]),
    judge: (destination) => (isPublicSite(destination.host) ? undefined : egressViolation([], destination)),
    log: (record) => records.push(record),
    ...options,
  });
  onTestFinished(network.close);
  return { ...network, records };
}

type RunOptions = { proxySocket: string; in?: Sandbox; environment?: Record<string, string> };

async function run(script: string, { proxySocket, in: place = sandbox, environment }: RunOptions) {
  return await place.run(
    {
      argv: ['/bin/sh', '-c', script],
      workspace: { path: workspace, writable: true },
      network: { proxySocket },
      environment: { PORT: String(port), LAN: lan, NAME: abstractName, ...environment },
    },
    { timeoutMs: 60_000, outputBytesMax: 30_000 },
  );
}

const node = async (script: string, options: RunOptions): Promise<CommandResult> => {
  writeFileSync(join(workspace, 'attack.mjs'), script);
  return await run('node attack.mjs', options);
};

/** Asks the proxy for each destination as a tunnel and as a request, and prints the answers. */
const throughProxy = (destinations: string[]): string => `
  import { connect } from 'node:net';
  import { text } from 'node:stream/consumers';
  const proxy = new URL(process.env.HTTP_PROXY);
  const ask = async (first, second) => {
    const socket = connect(proxy.port, proxy.hostname, () => socket.write(first));
    if (second) socket.once('data', () => socket.write(second));
    return (await text(socket)).replaceAll(/\\s+/g, ' ').slice(0, 400);
  };
  const get = (path, host) => 'GET ' + path + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\nconnection: close\\r\\n\\r\\n';
  for (const to of ${JSON.stringify(destinations)}) {
    console.log(to, await ask('CONNECT ' + to + ' HTTP/1.1\\r\\nhost: ' + to + '\\r\\n\\r\\n', get('/', to)));
    console.log(to, await ask(get('http://' + to + '/', to)));
  }`;

describe('around the proxy', () => {
  const script = `
    import { connect } from 'node:net';
    const { PORT, LAN, NAME } = process.env;
    const targets = [
      { port: PORT, host: '127.0.0.1' }, { port: PORT, host: '::1' }, { port: PORT, host: LAN },
      { path: '\\0' + NAME },
      // Nothing may answer here.
      { port: 80, host: '169.254.169.254', silenceMs: 2000 }, { port: 443, host: '1.1.1.1', silenceMs: 2000 },
    ];
    for (const target of targets)
      await new Promise((done) => {
        const socket = connect(target, () => socket.write('GET / HTTP/1.0\\r\\n\\r\\n'));
        socket.setTimeout(target.silenceMs ?? 60_000, () => socket.destroy());
        socket.on('data', (data) => console.log('GOT', target.path ? 'abstract' : target.host, String(data)));
        socket.on('error', () => {}).once('close', done);
      });`;

  it('no address, abstract socket or metadata service of the host is reachable', async () => {
    const { socketPath: proxySocket } = await openNetwork();
    const { output, exitCode } = await node(script, { proxySocket });
    expect(output).toBe('');
    expect(exitCode).toBe(0);
  });

  it('the same command reaches them in the network of the host', async () => {
    const { socketPath: proxySocket } = await openNetwork();
    const { output } = await node(script, { proxySocket, in: unconfinedSandbox() });
    for (const place of ['127.0.0.1', 'abstract']) expect(output).toContain(`GOT ${place}`);
    expect(output).toContain(secret);
  });
});

describe('through the proxy', () => {
  const destinations = (): string[] => [
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `0.0.0.0:${port}`,
    `localhost:${port}`,
    `${lan}:${port}`,
    `inside.test:${port}`,
    `127.0.0.1.nip.io:${port}`,
  ];
  const resolve = async (host: string): Promise<string[]> =>
    /^(localhost|inside\.test|127\.0\.0\.1\.nip\.io)$/.test(host) ? ['127.0.0.1'] : [host.replaceAll(/^\[|\]$/g, '')];

  it('nothing inside is reachable, by any name or spelling', async () => {
    const { socketPath: proxySocket, records } = await openNetwork({ resolve });
    const { output } = await node(throughProxy([...destinations(), '169.254.169.254:80', '1.1.1.1:22']), {
      proxySocket,
    });
    expect(output).not.toContain(secret);
    expect(output.match(/HTTP\/1\.1 403 Forbidden/g)).toHaveLength(20);
    expect(records.map(({ verdict }) => verdict)).toEqual(Array(20).fill('refused'));
  });

  it('everything inside is reachable without the rule', async () => {
    const { socketPath: proxySocket } = await openNetwork({ resolve, judge: () => undefined });
    const { output } = await node(throughProxy(destinations()), { proxySocket });
    expect(output.match(new RegExp(secret, 'g'))).toHaveLength(2 * destinations().length);
  });

  it('a public site is reachable by the usual means, and its redirect inside is not', async () => {
    const { socketPath: proxySocket, records } = await openNetwork();
    const script = `
      const site = 'http://site.test:' + process.env.PORT;
      console.log(await (await fetch(site)).text());
      console.log(await fetch(site + '/redirect').then(({ status }) => status, () => 'refused'));`;
    const { output } = await node(script, { proxySocket });
    expect(output).toBe(`${secret}\nrefused\n`);
    expect(records.map(({ host, verdict }) => `${host} ${verdict}`)).toEqual(
      expect.arrayContaining(['site.test allowed', 'inside.test refused']),
    );
    const permissive = await openNetwork({ judge: () => undefined });
    expect((await node(script, { proxySocket: permissive.socketPath })).output).toBe(`${secret}\n200\n`);
  });
});

it('keeps servers of the command on its own loopback', async () => {
  const { socketPath: proxySocket } = await openNetwork();
  const script = `
    import { createServer } from 'node:http';
    const server = createServer((_, response) => response.end('own')).listen(Number(process.env.PORT), async () => {
      console.log(await (await fetch('http://localhost:' + process.env.PORT)).text());
      server.close();
    });`;
  expect((await node(script, { proxySocket })).output).toBe('own\n');
});

it('ends with the status of the command and with all of its processes', async () => {
  const { socketPath: proxySocket } = await openNetwork();
  expect((await run('exit 3', { proxySocket })).exitCode).toBe(3);
  expect((await run('kill -TERM $$', { proxySocket })).exitCode).toBe(143);
  const marker = `marker-${randomUUID()}`;
  const daemon = `(setsid sh -c "sleep 600; : ${marker}" >/dev/null 2>&1 &); echo left`;
  expect(await run(daemon, { proxySocket })).toMatchObject({ exitCode: 0, output: 'left\n' });
  const listRemaining = (): string[] =>
    readdirSync('/proc').filter((pid) => {
      const file = `/proc/${pid}/cmdline`;
      try {
        return /^\d+$/.test(pid) && existsSync(file) && readFileSync(file, 'utf8').includes(marker);
      } catch {
        return false;
      }
    });
  // The kernel ends the processes of a namespace after its first process, which takes a moment on a busy machine.
  await expect.poll(listRemaining).toEqual([]);
});

it('npm ci installs a package from the registry', async () => {
  const { host, port: registryPort } = await readRegistrySettings(process.env);
  const records: Record<string, unknown>[] = [];
  const allowedInside = [{ host, port: registryPort }];
  const open = openAgentNetwork(
    { agentNetwork: 'public', allowedInside },
    { info: (record: object) => records.push({ ...record }) },
  );
  const network = await open?.({ run: 'change-1' });
  onTestFinished(async () => await network?.close());
  const version = '7.0.0';
  const packages = {
    '': { name: 'app', dependencies: { 'is-number': version } },
    'node_modules/is-number': {
      version,
      integrity: 'sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==',
    },
  };
  writeFileSync(join(workspace, 'package.json'), JSON.stringify(packages['']));
  writeFileSync(join(workspace, 'package-lock.json'), JSON.stringify({ name: 'app', lockfileVersion: 3, packages }));
  const { exitCode, output } = await run('npm ci --no-audit --no-fund && node -p "require(\'is-number\')(5)"', {
    proxySocket: network?.socketPath ?? '',
  });
  expect(output).toContain('true');
  expect(exitCode).toBe(0);
  // A connection is recorded when it has closed.
  await expect
    .poll(() => records)
    .toContainEqual(
      expect.objectContaining({
        from: 'network',
        run: 'change-1',
        host,
        verdict: 'allowed',
        receivedBytes: expect.any(Number),
      }),
    );
});
