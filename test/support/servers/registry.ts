import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it, onTestFinished } from 'vitest';
import { ensureGoModule } from '../../../src/main/tools/install/ensure-go-module.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { reservePort } from './reserve-ports.ts';

const registry = {
  folder: fileURLToPath(new URL('registry', import.meta.url)),
  name: 'registry',
  label: 'a registry of container images for tests',
  expectedDuration: '1 to 2 minutes',
};
const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const found = await ensureGoModule(registry, { cacheDir: toolCacheDir(env), env, onProgress });
if ('missing' in found && env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS WITH A REGISTRY. ${found.missing}\n\n`);

/** Tests with a real registry, and skips the test with a warning when none is available. */
export const itWithRegistry = 'missing' in found ? it.skip : it;

/** The passwords with their bcrypt hashes of the lowest cost, which take no time to verify. */
const hashes = {
  'correct-horse': '$2a$04$UrFjxR95Ew2bHeY0K2Y9.OicPFTBgLEd4CdmMLPNv00FVMKWsKu1q',
  'battery-staple': '$2a$04$uKEkdpGAmWSzBhQB97Nde.RR3x/2qsv0FrbLq51sQ/xV0LHP0.N52',
} as const;
export type RegistryPassword = keyof typeof hashes;

/** The settings with which a registry accepts the tokens of a token server. */
export type TokenAuth = { realm: string; service: string; issuer: string; jwks: object };

/** Starts a registry on loopback, with the account `ada` or with a token server. `setPassword` replaces the password of `ada`. */
export async function startRegistry(token?: TokenAuth) {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const people = join(folder, 'htpasswd');
  const jwks = join(folder, 'jwks.json');
  const setPassword = async (password: RegistryPassword): Promise<void> =>
    await writeFile(people, `ada:${hashes[password]}\n`);
  await setPassword('correct-horse');
  if (token) await writeFile(jwks, JSON.stringify(token.jwks));
  const host = `127.0.0.1:${await reservePort()}`;
  const configuration = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'images') } },
    http: { addr: host },
    auth: token ? { token: { ...token, jwks } } : { htpasswd: { realm: 'images', path: people } },
  };
  // The registry reads YAML, and JSON is valid YAML.
  const configurationFile = join(folder, 'registry.yaml');
  await writeFile(configurationFile, JSON.stringify(configuration));
  const program = { executable: found.path, flags: {}, args: ['serve', configurationFile] };
  const running = await startProgram('The registry', program, join(folder, 'log'));
  onTestFinished(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await running.waitUntilReady(async () => (await fetch(`http://${host}/v2/`)).status === 401);
  return { host, setPassword, stop: async () => await running.stop() };
}
