import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { freePort } from '../../src/main/ports.ts';
import { runProgram } from '../../src/main/tools/run-program.ts';
import { startProgram } from '../cluster/control-plane/start-program.ts';
import { debianPrograms } from './debian-programs.ts';

const found = await debianPrograms({
  packages: ['prometheus'],
  probe: 'prometheus',
  purpose: 'tests of what pods use run against',
});
if ('missing' in found && process.env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS THAT NEED PROMETHEUS. ${found.missing}\n\n`);

/** A suite that runs against a real Prometheus; skipped, loudly, where there can be none. */
export const describeWithPrometheus = 'missing' in found ? describe.skip : describe;

type Options = {
  /** What it has measured before, as OpenMetrics with times. */
  history?: string;
  /** Where it asks every second. */
  target?: string;
};

/** A Prometheus of its own folder on loopback. */
export async function startPrometheus({ history, target }: Options): Promise<{ url: string; stop(): Promise<void> }> {
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const data = join(folder, 'data');
  if (history !== undefined) {
    await writeFile(join(folder, 'history'), `${history}# EOF\n`);
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'history'), data];
    const made = await runProgram(found.run('promtool'), args, { env: found.env, timeoutMs: 60_000 });
    if (!made.ok) throw new Error(made.output);
  }
  const job = { job_name: 'kubelet', static_configs: [{ targets: target === undefined ? [] : [target] }] };
  const configuration = { global: { scrape_interval: '1s' }, scrape_configs: [job] };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const port = await freePort();
  const flags = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': data,
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const program = { executable: found.run('prometheus'), flags, env: found.env };
  const running = await startProgram('Prometheus', program, join(folder, 'log'));
  const url = `http://127.0.0.1:${port}`;
  await running.until(async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
