import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBrowser } from '../../../src/main/wiring/create-browser.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const site = { url: 'http://hello.localhost/', address: '127.0.0.1' };

it.each([
  ['without user namespaces', 'exit 1', /bubblewrap cannot create a sandbox.*Allow user namespaces/],
  ['with a sandbox that allows no other', 'case "$*" in *--unshare-net*) exit 1 ;; esac', /cannot isolate pages/],
])('takes no screenshot on a machine %s, and tells why', async (_, behaviour, reason) => {
  const folder = await createScratchFolder();
  const script = `#!/bin/sh\n${behaviour}\n`;
  await writeFile(join(folder, 'bwrap'), script, { mode: 0o755 });
  const environment = { PATH: `${folder}:/usr/bin:/bin`, CHROMIUM_PATH: '/bin/true', XDG_CACHE_HOME: folder };
  const browser = await createBrowser(environment, { folder, onProgress: () => {} });
  expect(await browser.capture(site, new AbortController().signal)).toEqual({
    outcome: 'failed',
    reason: expect.stringMatching(reason),
  });
});
