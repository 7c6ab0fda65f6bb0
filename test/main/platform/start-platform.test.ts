import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPlatform } from '../../../src/main/platform/start-platform.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { reservePorts } from '../../support/servers/reserve-ports.ts';

it('rejects the data directory of another version before it opens anything in it', async () => {
  const dataDir = await createScratchFolder();
  await writeFile(join(dataDir, 'format'), '0\n');
  await writeFile(join(dataDir, 'store.sqlite'), 'written by another version');
  const messages: string[] = [];
  const onProgress = (message: string) => messages.push(message);
  const options = { port: 8080, dataDir, environment: {}, onProgress, stopSignal: new Promise<void>(() => {}) };
  await expect(startPlatform(options)).rejects.toThrow(
    /was written by another version of the service .*Delete or move it to start over/,
  );
  expect(messages).toEqual([]);
  expect(await readdir(dataDir)).toEqual(['format', 'store.sqlite']);
});

it.runIf(process.platform === 'linux')('names TMPDIR when its folder cannot be created', async () => {
  const dataDir = join(await createScratchFolder(), 'data');
  vi.stubEnv('TMPDIR', '/proc/absent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = {
    port: 8080,
    dataDir,
    environment: {},
    onProgress: () => {},
    stopSignal: new Promise<void>(() => {}),
  };
  await expect(startPlatform(options)).rejects.toThrow(/^The folder \/proc\/absent cannot be written .* Set TMPDIR to/);
  expect(existsSync(dataDir)).toBe(false);
});

it('rejects a BACKUPS_DIR that is a file before it starts anything', async () => {
  const folder = await createScratchFolder();
  const BACKUPS_DIR = join(folder, 'backups');
  await writeFile(BACKUPS_DIR, '');
  const messages: string[] = [];
  const options = {
    port: await reservePorts(10),
    dataDir: join(folder, 'data'),
    environment: { BACKUPS_DIR },
    onProgress: (one: string) => messages.push(one),
    stopSignal: new Promise<void>(() => {}),
  };
  await expect(startPlatform(options)).rejects.toThrow(
    /^The folder \S+\/backups cannot be written .*EEXIST.*\. Set another BACKUPS_DIR\.$/,
  );
  expect(messages).toEqual([]);
});

it.each([
  ['HOST', 'host.invalid', /^HOST is not an address of this machine: "host\.invalid"\. Set one that is/],
  ['HOST', '192.0.2.1', /^HOST is not an address of this machine: "192\.0\.2\.1"/],
  [
    'METRICS_PORT',
    'the port of the addresses of zones',
    /^METRICS_PORT is \d+, which the platform uses itself\. Set another/,
  ],
  ['METRICS_PORT', 'a port in use', /^Port \d+, meant for the metrics, is in use .*set another with METRICS_PORT\./],
])(
  'rejects %s %s before it starts anything, and leaves the data directory to any port',
  async (name, text, message) => {
    const dataDir = await createScratchFolder();
    const port = await reservePorts(10);
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const values: Record<string, number> = {
      'the port of the addresses of zones': port + 1,
      'a port in use': (server.address() as AddressInfo).port,
    };
    const messages: string[] = [];
    const environment = { [name]: String(values[text] ?? text) };
    const onProgress = (one: string) => messages.push(one);
    const options = { port, dataDir, environment, onProgress, stopSignal: new Promise<void>(() => {}) };
    await expect(startPlatform(options)).rejects.toThrow(message);
    expect(messages).toEqual([]);
    expect(await readdir(dataDir)).toEqual(['.lock', 'format']);
  },
);
