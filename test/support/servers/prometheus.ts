import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import type { PrometheusRuleGroup } from '../../../src/kinds/prometheus-operator.ts';
import { reservePort } from './reserve-ports.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import { startProgram } from '../../cluster/control-plane/start-program.ts';
import { ensurePrometheus } from '../../../src/main/tools/ensure-metrics-servers.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const found = await ensurePrometheus({ cacheDir: toolCacheDir(env), env, onProgress });
if ('missing' in found && process.env['CI']) throw new Error(found.missing);
if ('missing' in found) process.stderr.write(`\nSKIPPING TESTS THAT NEED PROMETHEUS. ${found.missing}\n\n`);

/** Describes a suite that needs a real Prometheus, and skips it with a warning when none is available. */
export const describeWithPrometheus = 'missing' in found ? describe.skip : describe;

type PrometheusOptions = {
  /** Earlier measurements as OpenMetrics with timestamps. */
  history?: string;
  /** The address that Prometheus scrapes every second. */
  scrapeTarget?: string;
  /** Groups of rules. */
  rules?: PrometheusRuleGroup[];
  /** The Alertmanager that receives the alerts. */
  alertmanagerUrl?: string;
};

/** Starts a Prometheus on loopback with a temporary folder. */
export async function startPrometheus({
  history,
  scrapeTarget,
  rules = [],
  alertmanagerUrl,
}: PrometheusOptions): Promise<{ url: string; stop(): Promise<void> }> {
  if ('missing' in found) throw new Error(found.missing);
  const [executable] = found.command;
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const data = join(folder, 'data');
  if (history !== undefined) {
    await writeFile(join(folder, 'history'), `${history}# EOF\n`);
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'history'), data];
    const result = await runProgram(join(dirname(executable), 'promtool'), args, { env, silenceMs: 60_000 });
    if (!result.ok) throw new Error(result.output);
  }
  const job = { job_name: 'kubelet', static_configs: [{ targets: scrapeTarget === undefined ? [] : [scrapeTarget] }] };
  const alertmanagers = alertmanagerUrl === undefined ? [] : [new URL(alertmanagerUrl).host];
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: [job],
    rule_files: [join(folder, 'rules.yml')],
    alerting: { alertmanagers: [{ static_configs: [{ targets: alertmanagers }] }] },
  };
  await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups: rules }));
  // Prometheus reads YAML, and JSON is valid YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const port = await reservePort();
  const flags = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': data,
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const program = { executable, flags };
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
