import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it, onTestFinished } from 'vitest';
import { ensureGoModule } from '../../../src/main/tools/install/ensure-go-module.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { type Account, openIdClient } from './openid-provider.ts';
import { reservePort } from './reserve-ports.ts';

const dex = {
  folder: fileURLToPath(new URL('dex', import.meta.url)),
  name: 'dex',
  label: 'Dex, an OpenID provider for tests',
  expectedDuration: '1 to 2 minutes',
};
const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const found = await ensureGoModule(dex, { cacheDir: toolCacheDir(env), env, onProgress });
if ('missing' in found && env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS WITH DEX. ${found.missing}\n\n`);

/** Tests with a real Dex, and skips the test with a warning when none is available. */
export const itWithDex = 'missing' in found ? it.skip : it;

/** Starts Dex on loopback. People sign in with their name and any password; `save` replaces them at any time. */
export async function startDex(redirectUri: string, people: Record<string, Account>) {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'dex-'));
  const file = join(folder, 'people.json');
  const save = async (all: Record<string, Account>): Promise<void> => await writeFile(file, JSON.stringify(all));
  await save(people);
  const listen = `127.0.0.1:${await reservePort()}`;
  const issuer = `http://${listen}/dex`;
  const { clientId: client, clientSecret: secret } = openIdClient;
  const flags = { issuer, listen, people: file, redirect: redirectUri, client, secret };
  const running = await startProgram(
    'Dex',
    { executable: found.path, flags, env: { TMPDIR: folder } },
    join(folder, 'log'),
  );
  onTestFinished(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await running.waitUntilReady(async () => (await fetch(`${issuer}/.well-known/openid-configuration`)).ok);
  return { issuer, save, stop: async () => await running.stop() };
}
