import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { ensureAlertmanager } from '../../../src/main/tools/ensure-metrics-servers.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import { reservePort } from './reserve-ports.ts';

const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const found = await ensureAlertmanager({ cacheDir: toolCacheDir(env), env, onProgress });
if ('missing' in found && process.env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS THAT NEED ALERTMANAGER. ${found.missing}\n\n`);

/** Describes a suite that needs a real Alertmanager, and skips it with a warning when none is available. */
export const describeWithAlertmanager = 'missing' in found ? describe.skip : describe;

const discardAlerts = { route: { receiver: 'none' }, receivers: [{ name: 'none' }] };

/** Starts an Alertmanager without peers on loopback with a temporary folder; it discards alerts unless configured. */
export async function startAlertmanager(
  configuration: object = discardAlerts,
): Promise<{ url: string; stop(): Promise<void> }> {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'));
  // Alertmanager reads YAML, and JSON is valid YAML.
  await writeFile(join(folder, 'alertmanager.yml'), JSON.stringify(configuration));
  const url = `http://127.0.0.1:${await reservePort()}`;
  const flags = {
    'config.file': join(folder, 'alertmanager.yml'),
    'storage.path': join(folder, 'data'),
    'web.listen-address': new URL(url).host,
    'cluster.listen-address': '',
  };
  const [executable, ...args] = found.command;
  const program = { executable, args, flags };
  const running = await startProgram('Alertmanager', program, join(folder, 'log'));
  await running.waitUntilReady(async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
