import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { reservePort } from './reserve-ports.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { ensureDebianPrograms } from './debian-programs.ts';

const found = await ensureDebianPrograms({
  packages: ['prometheus'],
  probe: 'prometheus',
  purpose: 'tests of pod metrics run against',
});
if ('missing' in found && process.env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS THAT NEED PROMETHEUS. ${found.missing}\n\n`);

/** Describes a suite that needs a real Prometheus, and skips it with a warning when none is available. */
export const describeWithPrometheus = 'missing' in found ? describe.skip : describe;

type PrometheusOptions = {
  /** Earlier measurements as OpenMetrics with timestamps. */
  history?: string;
  /** The address that Prometheus scrapes every second. */
  scrapeTarget?: string;
};

/** Starts a Prometheus on loopback with a temporary folder. */
export async function startPrometheus({
  history,
  scrapeTarget,
}: PrometheusOptions): Promise<{ url: string; stop(): Promise<void> }> {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const data = join(folder, 'data');
  if (history !== undefined) {
    await writeFile(join(folder, 'history'), `${history}# EOF\n`);
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'history'), data];
    const result = await runProgram(found.pathTo('promtool'), args, { env: found.env, timeoutMs: 60_000 });
    if (!result.ok) throw new Error(result.output);
  }
  const job = { job_name: 'kubelet', static_configs: [{ targets: scrapeTarget === undefined ? [] : [scrapeTarget] }] };
  const configuration = { global: { scrape_interval: '1s' }, scrape_configs: [job] };
  // Prometheus reads YAML, and JSON is valid YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const port = await reservePort();
  const flags = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': data,
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const program = { executable: found.pathTo('prometheus'), flags, env: found.env };
  const running = await startProgram('Prometheus', program, join(folder, 'log'));
  const url = `http://127.0.0.1:${port}`;
  await running.waitUntilReady(async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
