import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { Worker } from '@temporalio/worker';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startTemporalServer, type TemporalServerOptions } from '../../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/settings.ts';
import { scratchFolder } from '../../support/programs.ts';
import { connectTemporal, describeWithTemporal } from '../../support/temporal-client.ts';

async function optionsIn(dataDir: string): Promise<TemporalServerOptions & { dataDir: string }> {
  const executable = inject('temporalExecutable') ?? '';
  const settings = await readTemporalSettings();
  return { executable, settings, logFile: join(dataDir, 'temporal.log'), dataDir, port: 0 };
}

async function clientOf(address: string): Promise<Client> {
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection });
}

/** Begins a run that nobody works on: it stays as long as the server remembers it. */
async function beginRun(client: Client): Promise<string> {
  const workflowId = randomUUID();
  await client.workflow.start('nobody', { workflowId, taskQueue: workflowId });
  return workflowId;
}

const statusOf = async (client: Client, workflowId: string) =>
  (await client.workflow.getHandle(workflowId).describe()).status.name;

describeWithTemporal('startTemporalServer', () => {
  it('keeps what it holds over a stop and a start with the same flags', async () => {
    const options = await optionsIn(await scratchFolder());
    const first = await startTemporalServer(options);
    const workflowId = await beginRun(await clientOf(first.address));
    await first.close();

    const second = await startTemporalServer(options);
    onTestFinished(() => second.close());
    expect(await statusOf(await clientOf(second.address), workflowId)).toBe('RUNNING');
  });

  it('serves what temporal-dev.yml says: retention, search attributes, write-ahead logging', async () => {
    const options = await optionsIn(await scratchFolder());
    const server = await startTemporalServer(options);
    onTestFinished(() => server.close());
    const { connection } = await clientOf(server.address);
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(tsToMs(config?.workflowExecutionRetentionTtl)).toBe(options.settings.retentionDays * 24 * 60 * 60_000);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes).toSorted()).toEqual(['org', 'phase', 'product', 'targetKind']);
    // The two version bytes of a SQLite file are 2 under write-ahead logging.
    const header = await readFile(join(options.dataDir, 'temporal.db'));
    expect([...header.subarray(18, 20)]).toEqual([2, 2]);
  });

  it('dies with a platform that is killed, and starts again where it was', async () => {
    const options = await optionsIn(await scratchFolder());
    const { owner, address } = await killable(options);
    const { pid } = await recordOf(options.dataDir);
    const workflowId = await beginRun(await clientOf(address));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await expect.poll(() => isAlive(pid)).toBe(process.platform !== 'linux');

    const again = await startTemporalServer(options);
    onTestFinished(() => again.close());
    expect(await statusOf(await clientOf(again.address), workflowId)).toBe('RUNNING');
  });

  it('stops the server that a killed platform left behind where nothing binds the two', async () => {
    const options = await optionsIn(await scratchFolder());
    const { owner, address } = await killable(options, { PATH: '' });
    const { pid } = await recordOf(options.dataDir);
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
    const workflowId = await beginRun(await clientOf(address));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await pause(50);
    expect(isAlive(pid)).toBe(true);

    const again = await startTemporalServer(options);
    onTestFinished(() => again.close());
    expect(isAlive(pid)).toBe(false);
    expect(await statusOf(await clientOf(again.address), workflowId)).toBe('RUNNING');
  });

  it('refuses a data directory on which another platform runs', async () => {
    const options = await optionsIn(await scratchFolder());
    const { owner, address } = await killable(options);
    await expect(startTemporalServer(options)).rejects.toThrow(`Process ${owner.pid} already runs a platform`);
    await beginRun(await clientOf(address));
  });

  it('names a port in use and where to set another', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const options = await optionsIn(await scratchFolder());
    const refusal = (what: string) =>
      `Port ${port}, meant for the Temporal ${what}, is in use by another program. Free it, or set another with --port.`;
    await expect(startTemporalServer({ ...options, port })).rejects.toThrow(refusal('server'));
    await expect(startTemporalServer({ ...options, uiPort: port })).rejects.toThrow(refusal('Web UI'));
  });

  it('shows the end of the log when the server does not start', async () => {
    const options = await optionsIn(await scratchFolder());
    await writeFile(join(options.dataDir, 'temporal.db'), 'This is no database, whatever its name says. '.repeat(100));
    const why = /did not start: it ended with status 1\. The end of .*temporal\.log:\n.*file is not a database/s;
    await expect(startTemporalServer(options)).rejects.toThrow(why);
  });
});

describeWithTemporal('the Temporal server of the tests', () => {
  it('runs a workflow, with search attributes, and does not make it wait a second for a short timer', async () => {
    const { connection, client, taskQueue, close } = await connectTemporal();
    onTestFinished(close);
    const workflowsPath = fileURLToPath(new URL('nap.ts', import.meta.url));
    const worker = await Worker.create({ connection, taskQueue, workflowsPath, bundlerOptions: {} });
    const took = await worker.runUntil(async () => {
      const execute = (workflowId: string) =>
        client.workflow.execute('nap', { taskQueue, workflowId, searchAttributes: { org: ['acme'] } });
      await execute(`${taskQueue}/warm`);
      const startedAt = performance.now();
      expect(await execute(taskQueue)).toBe('rested');
      return performance.now() - startedAt;
    });
    expect(took).toBeLessThan(900);
  });
});

async function killable(
  { executable, dataDir }: { executable: string; dataDir: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ owner: ChildProcess; address: string }> {
  const script = fileURLToPath(new URL('own-a-server.ts', import.meta.url));
  const owner = spawn(process.execPath, [script, executable, dataDir], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [said] = (await once(owner.stdout, 'data')) as [Buffer];
  return { owner, address: said.toString().trim() };
}

const recordOf = async (dataDir: string): Promise<{ pid: number }> =>
  JSON.parse(await readFile(join(dataDir, 'temporal.pid'), 'utf8')) as { pid: number };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Killed and not yet collected by an init that takes its time is not alive.
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
