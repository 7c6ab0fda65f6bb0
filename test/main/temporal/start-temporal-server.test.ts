import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { createServer as createProxy, get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startTemporalServer, type TemporalServerOptions } from '../../../src/main/temporal/start-temporal-server.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { readTls } from '../../../src/main/temporal/server-credentials.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { connectTemporal, describeWithTemporal } from '../../support/workflows/temporal-client.ts';

async function createOptions(dataDir: string): Promise<TemporalServerOptions & { dataDir: string }> {
  const executable = inject('temporalExecutable') ?? '';
  const settings = await readTemporalSettings();
  return { executable, settings, logFile: join(dataDir, 'temporal.log'), dataDir, port: 0 };
}

async function connectClient(address: string): Promise<Client> {
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection });
}

/** Starts a run without a worker, so that it stays open. */
async function startIdleRun(client: Client): Promise<string> {
  const workflowId = randomUUID();
  await client.workflow.start('idle', { workflowId, taskQueue: workflowId });
  return workflowId;
}

const getStatus = async (client: Client, workflowId: string) =>
  (await client.workflow.getHandle(workflowId).describe()).status.name;

describeWithTemporal('startTemporalServer', () => {
  it('keeps its runs when it is restarted', async () => {
    const options = await createOptions(await createScratchFolder());
    const first = await startTemporalServer(options);
    const workflowId = await startIdleRun(await connectClient(first.address));
    await first.close();

    const second = await startTemporalServer(options);
    onTestFinished(() => second.close());
    expect(await getStatus(await connectClient(second.address), workflowId)).toBe('RUNNING');
  });

  it('keeps its data in the folder itself, also when the path has characters that have a meaning in a URI', async () => {
    const options = await createOptions(join(await createScratchFolder(), 'c# feature%2Fone why?'));
    const first = await startTemporalServer(options);
    onTestFinished(() => first.close());
    const workflowId = await startIdleRun(await connectClient(first.address));
    await first.close();
    expect(await readdir(options.dataDir)).toContain('temporal.db');

    const second = await startTemporalServer(options);
    onTestFinished(() => second.close());
    expect(await getStatus(await connectClient(second.address), workflowId)).toBe('RUNNING');
  });

  it('starts again after it was killed while it created its database', async () => {
    const options = await createOptions(await createScratchFolder());
    const database = join(options.dataDir, 'temporal.db');
    const killed = spawn(options.executable, [`--port=${await reservePort()}`, '--db-filename', database]);
    await once(killed, 'spawn');
    const deadline = Date.now() + 20_000;
    // The tables are created within milliseconds, so the process is killed as soon as the file exists.
    while (!existsSync(database) && Date.now() < deadline);
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    const server = await startTemporalServer(options);
    onTestFinished(() => server.close());
    const client = await connectClient(server.address);
    expect(await getStatus(client, await startIdleRun(client))).toBe('RUNNING');
  });

  it('connects to its server without the proxy of the machine, which does not reach it', async () => {
    const proxy = createProxy().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    vi.stubEnv('https_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    vi.stubEnv('no_proxy', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const failOnUse = once(proxy, 'connect').then(() => {
      throw new Error('The proxy was used.');
    });
    const server = await Promise.race([
      startTemporalServer(await createOptions(await createScratchFolder())),
      failOnUse,
    ]);
    await server.close();
  });

  it('applies temporal-dev.yml: retention, search attributes, write-ahead logging', async () => {
    const options = await createOptions(await createScratchFolder());
    const server = await startTemporalServer(options);
    onTestFinished(() => server.close());
    const { connection } = await connectClient(server.address);
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(tsToMs(config?.workflowExecutionRetentionTtl)).toBe(options.settings.retentionDays * 24 * 60 * 60_000);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes).toSorted()).toEqual(['org', 'phase', 'product', 'targetKind']);
    // The two version bytes of a SQLite file are 2 under write-ahead logging.
    const header = await readFile(join(options.dataDir, 'temporal.db'));
    expect([...header.subarray(18, 20)]).toEqual([2, 2]);
  });

  it.each([
    ['starts again after its server has lost a port to another program', 2, /^127\.0\.0\.1:\d+$/],
    ['gives up when its server loses ports again and again', 99, /address already in use/],
  ])('%s', async (_, failures, expected) => {
    const folder = await createScratchFolder();
    const options = await createOptions(folder);
    const executable = join(folder, 'server');
    const script = `#!/bin/sh
      echo start >> '${folder}/starts'
      [ "$(wc -l < '${folder}/starts')" -gt ${failures} ] && exec '${options.executable}' "$@"
      echo '{"level":"fatal","error":"listen tcp 127.0.0.1:1: bind: address already in use"}'
      exit 1`;
    await writeFile(executable, script, { mode: 0o755 });
    const started = await startTemporalServer({ ...options, executable }).catch((error: Error) => error);
    if (!(started instanceof Error)) onTestFinished(() => started.close());
    expect(started instanceof Error ? started.message : started.address).toMatch(expected);
  });

  it('dies with a killed platform, and resumes when it is started again', async () => {
    const options = await createOptions(await createScratchFolder());
    const { owner, address } = await startOwnerProcess(options);
    const { pid } = await readRecord(options.dataDir);
    const workflowId = await startIdleRun(await connectClient(address));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await expect.poll(() => isAlive(pid)).toBe(process.platform !== 'linux');

    const again = await startTemporalServer(options);
    onTestFinished(() => again.close());
    expect(await getStatus(await connectClient(again.address), workflowId)).toBe('RUNNING');
  });

  it('stops the server that a killed platform left running', async () => {
    const options = await createOptions(await createScratchFolder());
    const { owner, address } = await startOwnerProcess(options, { PATH: '' });
    const { pid } = await readRecord(options.dataDir);
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
    const workflowId = await startIdleRun(await connectClient(address));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await pause(50);
    expect(isAlive(pid)).toBe(true);

    const again = await startTemporalServer(options);
    onTestFinished(() => again.close());
    expect(isAlive(pid)).toBe(false);
    expect(await getStatus(await connectClient(again.address), workflowId)).toBe('RUNNING');
  });

  it('fails on a data directory that another platform uses', async () => {
    const options = await createOptions(await createScratchFolder());
    const { owner, address } = await startOwnerProcess(options);
    await expect(startTemporalServer(options)).rejects.toThrow(`Process ${owner.pid} already runs a platform`);
    await startIdleRun(await connectClient(address));
  });

  it('names a port in use and the option that changes it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const options = await createOptions(await createScratchFolder());
    const toMessage = (server: string) =>
      `Port ${port}, meant for the Temporal ${server}, is in use by another program. Free it, or set another with --port.`;
    await expect(startTemporalServer({ ...options, port })).rejects.toThrow(toMessage('server'));
    await expect(startTemporalServer({ ...options, credentialsDir: options.dataDir, uiPort: port })).rejects.toThrow(
      toMessage('Web UI'),
    );
  });

  it('shows the end of the log when the server does not start', async () => {
    const options = await createOptions(await createScratchFolder());
    await writeFile(join(options.dataDir, 'temporal.db'), 'This file is not a database. '.repeat(100));
    const message = /did not start: it exited with status 1\. The end of .*temporal\.log:\n.*file is not a database/s;
    await expect(startTemporalServer(options)).rejects.toThrow(message);
  });
});

describeWithTemporal('the Temporal server of a platform', () => {
  async function startProtected() {
    const folder = await createScratchFolder();
    const credentialsDir = join(folder, 'credentials');
    const options = { ...(await createOptions(folder)), credentialsDir, uiPort: await reservePort() };
    const server = await startTemporalServer(options);
    onTestFinished(() => server.close());
    return { server, credentialsDir, options, pid: (await readRecord(folder)).pid };
  }

  it('refuses every caller without a client certificate of this start, on any of its ports', async () => {
    const { server, credentialsDir, pid } = await startProtected();
    const credentials = server.credentials!;
    const connection = await Connection.connect({ address: server.address, tls: await readTls(credentials) });
    onTestFinished(() => connection.close());
    await startIdleRun(new Client({ connection }));

    const ports = await listListeningPorts(pid);
    expect(ports).toContain(Number(server.address.split(':')[1]));
    // The frontend, the services behind it and the Web UI.
    expect(ports).toHaveLength(4);
    const { clientCertPair: _, ...anonymous } = await readTls(credentials);
    const attempts = ports.flatMap((port) => [{ port }, { port, tls: anonymous }]);
    const answers = attempts.map(async ({ port, ...options }) => {
      const address = `127.0.0.1:${port}`;
      const reached = await Connection.connect({ address, connectTimeout: 2_000, ...options }).catch(() => undefined);
      await reached?.close();
      return { port, isObeyed: reached !== undefined };
    });
    expect((await Promise.all(answers)).filter(({ isObeyed }) => isObeyed)).toEqual([]);
    expect((await stat(credentialsDir)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(credentialsDir))
      expect([file, (await stat(join(credentialsDir, file))).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('makes new credentials at each start, so that old ones are of no use', async () => {
    const { server, options } = await startProtected();
    const old = await readTls(server.credentials!);
    await server.close();
    const again = await startTemporalServer(options);
    onTestFinished(() => again.close());
    const connect = async (tls: object) =>
      await Connection.connect({ address: again.address, connectTimeout: 2_000, tls });
    const { serverRootCACertificate } = await readTls(again.credentials!);
    const attempts = [connect(old), connect({ ...old, serverRootCACertificate })];
    expect((await Promise.allSettled(attempts)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('shows its Web UI only to browsers with the secret, and only under its own host', async () => {
    const { server } = await startProtected();
    const link = new URL(server.uiUrl!);
    const namespaces = new URL('/api/v1/namespaces', link);
    expect((await fetch(namespaces)).status).toBe(401);
    expect((await fetch(new URL('/', link))).status).toBe(401);
    expect((await fetch(new URL('/?secret=guess', link))).status).toBe(401);
    const opened = await fetch(link, { redirect: 'manual' });
    const cookie = opened.headers.getSetCookie()[0] ?? '';
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect(await (await fetch(namespaces, { headers })).text()).toContain('"default"');
    // The name of a page that rebinds to this machine, with a cookie that it cannot have.
    const statusFor = async (host: string): Promise<number | undefined> => {
      const request = get(namespaces, { headers: { ...headers, host } });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await statusFor(link.host)).toBe(200);
    expect(await statusFor(`localhost:${link.port}`)).toBe(200);
    for (const host of ['evil.test', `evil.test:${link.port}`, 'localhost', '127.0.0.1:80'])
      expect([host, await statusFor(host)]).toEqual([host, 421]);
  });

  it('has no Web UI without credentials, because it would obey everybody', async () => {
    const options = await createOptions(await createScratchFolder());
    await expect(startTemporalServer({ ...options, uiPort: await reservePort() })).rejects.toThrow(
      'the Web UI commands the server',
    );
  });
});

/** Returns the ports on which a process listens. */
async function listListeningPorts(pid: number): Promise<number[]> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map(async (fd) => await readlink(join(folder, fd)).catch(() => ''));
  const inodes = new Set((await Promise.all(links)).map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const rows = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  // Column 1 is the local address, 3 the state (0A is listening), 9 the inode.
  const listening = rows.filter((row) => row[3] === '0A' && inodes.has(row[9]));
  return listening.map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16));
}

describeWithTemporal('the Temporal server of the tests', () => {
  it('runs a workflow with search attributes, and fires a short timer within a second', async () => {
    const { connection, client, taskQueue, close } = await connectTemporal();
    onTestFinished(close);
    const workflowsPath = fileURLToPath(new URL('nap.ts', import.meta.url));
    const worker = await Worker.create({ connection, taskQueue, workflowsPath, bundlerOptions: {} });
    let count = 0;
    const measure = async (): Promise<number> => {
      const startedAt = performance.now();
      const workflowId = `${taskQueue}/${(count += 1)}`;
      const options = { taskQueue, workflowId, searchAttributes: { org: ['acme'] } };
      expect(await client.workflow.execute('nap', options)).toBe('rested');
      return performance.now() - startedAt;
    };
    // Without the setting, every timer takes a second, also on an idle machine.
    await worker.runUntil(async () => await expect.poll(measure, { interval: 0, timeout: 120_000 }).toBeLessThan(900));
  });
});

async function startOwnerProcess(
  { executable, dataDir }: { executable: string; dataDir: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ owner: ChildProcess; address: string }> {
  const script = fileURLToPath(new URL('server-owner-process.ts', import.meta.url));
  const owner = spawn(process.execPath, [script, executable, dataDir], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  return { owner, address: line.toString().trim() };
}

const readRecord = async (dataDir: string): Promise<{ pid: number }> =>
  JSON.parse(await readFile(join(dataDir, 'temporal.pid'), 'utf8')) as { pid: number };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process may stay a zombie with an empty command line until init reaps it.
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
