import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureAlertmanager, ensurePrometheus } from '../../../src/main/tools/ensure-metrics-servers.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

// These scripts act like apt-get, which downloads a package file, and dpkg-deb, which unpacks it.
const aptGet = 'case "$*" in *"download prometheus") touch prometheus_1.deb;; esac';
const dpkgDeb = 'mkdir -p "$3/usr/bin"; cp "$WORKING" "$3/usr/bin/prometheus"';

async function createSearch(scripts: Record<string, string>, program = 'echo prometheus 2') {
  const cacheDir = join(await createScratchFolder(), 'cache');
  const messages: string[] = [];
  const WORKING = join(await createPathWith({ program }), 'program');
  const env = { PATH: await createPathWith(scripts), WORKING };
  return { cacheDir, env, messages, onProgress: (line: string) => void messages.push(line) };
}

it('are the programs on PATH, under either name', async () => {
  const search = await createSearch({ prometheus: 'exit 0', alertmanager: 'exit 0' });
  expect(await ensurePrometheus(search)).toEqual({ command: [join(search.env.PATH, 'prometheus')] });
  expect(await ensureAlertmanager(search)).toEqual({ command: [join(search.env.PATH, 'alertmanager')] });
});

it('are unpacked once from the distribution’s packages', async () => {
  const search = await createSearch({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  const command = [join(search.cacheDir, 'prometheus/usr/bin/prometheus')];
  expect(await ensurePrometheus(search)).toEqual({ command });
  expect(await ensurePrometheus(search)).toEqual({ command });
  expect(search.messages).toEqual(['Downloading Prometheus, which stores the metrics of zones (once)']);
});

it.each([
  [{}, 'Prometheus is not on PATH and apt-get and dpkg-deb are not available. Install "prometheus" and start again.'],
  [{ 'apt-get': 'echo "E: no network" >&2; exit 100' }, 'apt-get cannot download it (E: no network)'],
  [{ 'apt-get': aptGet }, 'it does not run here (bad libc)'],
])('are missing, with the reason and the fix (%j)', async (scripts, reason) => {
  const programs = Object.keys(scripts).length === 0 ? {} : { 'dpkg-deb': dpkgDeb, ...scripts };
  const search = await createSearch(programs, 'echo "bad libc" >&2; exit 1');
  expect(await ensurePrometheus(search)).toEqual({ missing: expect.stringContaining(reason) });
});
