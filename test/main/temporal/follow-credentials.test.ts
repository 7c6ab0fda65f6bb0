import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { followCredentials } from '../../../src/main/temporal/follow-credentials.ts';

async function createFiles(files: Record<string, string>): Promise<(name: string) => string> {
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return (name) => join(folder, name);
}

/** Starts a server that answers every call of the workflow service with an empty message, and records its key. */
async function startKeyRecorder() {
  const keys: (string | undefined)[] = [];
  const server = createServer();
  server.on('stream', (stream, { authorization }) => {
    keys.push(authorization);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { keys, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('sends a replaced API key from the next call', async () => {
  const path = await createFiles({ key: 'old\n' });
  const { keys, address } = await startKeyRecorder();
  const connection = await NativeConnection.connect({ address, apiKey: 'old', tls: false });
  onTestFinished(async () => await connection.close());
  const rotated = Promise.withResolvers<void>();
  const log = { info: () => rotated.resolve(), warn: () => {} };
  const { stop } = await followCredentials({
    connection,
    temporal: { tls: undefined, apiKey: 'old' },
    log,
    apiKeyFile: path('key'),
    intervalMs: 10,
  });
  onTestFinished(stop);
  await writeFile(path('key'), '');
  await writeFile(path('key'), 'new\n');
  await rotated.promise;
  await connection.workflowService.getSystemInfo({});
  expect([keys[0], keys.at(-1)]).toEqual(['Bearer old', 'Bearer new']);
});

/** Follows a file with the API key `new`, and collects what the connection is given and what is logged. */
async function followKey(setApiKey: (key: string) => Promise<void>, apiKey: string) {
  const path = await createFiles({ key: 'new\n' });
  const used = Promise.withResolvers<void>();
  const warnings: string[] = [];
  const { stop } = await followCredentials({
    connection: { setApiKey },
    temporal: { tls: undefined, apiKey },
    log: { info: () => used.resolve(), warn: (_: object, message?: string) => void warnings.push(message ?? '') },
    apiKeyFile: path('key'),
    intervalMs: 10,
  });
  onTestFinished(stop);
  return { used: used.promise, warnings };
}

it('uses an API key that was replaced while the process started', async () => {
  const keys: string[] = [];
  const { used } = await followKey(async (key) => void keys.push(key), 'old');
  await used;
  expect(keys).toEqual(['new']);
});

it('tries an API key again that the connection did not take', async () => {
  const keys: string[] = [];
  const setApiKey = async (key: string): Promise<void> => {
    keys.push(key);
    if (keys.length === 1) throw new Error('not now');
  };
  const { used, warnings } = await followKey(setApiKey, 'old');
  await used;
  expect(keys).toEqual(['new', 'new']);
  expect(warnings).toEqual(['the API key of the Temporal server cannot be used, and is tried again']);
});

it.each(['certificate', 'key', 'ca'])('asks for a restart when the %s was replaced', async (name) => {
  const path = await createFiles({ certificate: 'a', key: 'b', ca: 'c' });
  const tls = {
    certificatePath: path('certificate'),
    keyPath: path('key'),
    caPath: path('ca'),
    serverName: undefined,
  };
  const connection = { setApiKey: async () => {} };
  const { replaced, stop } = await followCredentials({
    connection,
    temporal: { tls, apiKey: undefined },
    log: { info: () => {}, warn: () => {} },
    intervalMs: 10,
  });
  onTestFinished(stop);
  await rm(path(name));
  await writeFile(path(name), 'replaced');
  await expect(replaced).resolves.toBeUndefined();
});
