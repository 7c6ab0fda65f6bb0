import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRegistrySettings } from '../../../src/main/network/read-registry-settings.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

/** Returns an environment whose npm prints these settings. */
async function environmentWith(settings: Record<string, unknown>): Promise<Record<string, string>> {
  const folder = await createScratchFolder();
  await writeFile(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(settings)}\nEND\n`);
  await chmod(join(folder, 'npm'), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

it('reads the registry of npm, and the proxy that npm uses for it', async () => {
  const registry = 'https://npm.example.com/repo/';
  const environment = await environmentWith({
    registry,
    'https-proxy': 'http://proxy.example.com:3128',
    noproxy: [''],
  });
  const settings = await readRegistrySettings(environment);
  expect(settings).toMatchObject({ url: registry, host: 'npm.example.com', port: 443 });
  expect(settings.upstreamProxy?.href).toBe('http://proxy.example.com:3128/');
  const excepted = await readRegistrySettings({ ...environment, NO_PROXY: 'localhost,.example.com' });
  expect(excepted.upstreamProxy).toBeUndefined();
});

it('reads the proxy of the environment, and the port of a registry on http', async () => {
  const environment = await environmentWith({ registry: 'http://localhost:4873/', proxy: null, 'https-proxy': null });
  const settings = await readRegistrySettings({
    ...environment,
    HTTP_PROXY: 'http://proxy:1',
    HTTPS_PROXY: 'http://other:2',
  });
  expect(settings).toMatchObject({ host: 'localhost', port: 4873 });
  expect(settings.upstreamProxy?.href).toBe('http://proxy:1/');
});

it('uses the public registry without npm', async () => {
  expect(await readRegistrySettings({ PATH: '/nonexistent' })).toEqual({
    url: 'https://registry.npmjs.org/',
    host: 'registry.npmjs.org',
    port: 443,
    upstreamProxy: undefined,
  });
});
