import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PrometheusRuleGroup } from '../../../src/kinds/prometheus-operator.ts';
import { ensurePrometheus } from '../../../src/main/tools/ensure-metrics-servers.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

const { env } = process;
/** A busy machine is many times slower than an idle one; only a process that hangs takes this long. */
const silenceMs = 600_000;

async function findPromtool(): Promise<string> {
  const found = await ensurePrometheus({ cacheDir: toolCacheDir(env), env, onProgress: () => {} });
  if ('missing' in found) throw new Error(found.missing);
  return join(dirname(found.command[0]), 'promtool');
}

/** Writes rules and their unit tests to a temporary folder, and runs promtool there. */
export async function runPromtool(
  command: 'check' | 'test',
  { groups, test }: { groups: PrometheusRuleGroup[]; test?: object },
): Promise<{ ok: boolean; output: string }> {
  const promtool = await findPromtool();
  const folder = await mkdtemp(join(tmpdir(), 'promtool-'));
  try {
    // Prometheus reads YAML, and JSON is valid YAML.
    await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups }));
    await writeFile(join(folder, 'test.yml'), JSON.stringify({ rule_files: ['rules.yml'], ...test }));
    const file = join(folder, command === 'check' ? 'rules.yml' : 'test.yml');
    return await runProgram(promtool, [command, 'rules', file], { env, silenceMs });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns what promtool finds wrong with the metrics of a process: one line per metric, or a syntax error. */
export async function lintMetrics(metrics: string): Promise<string[]> {
  const child = spawn(await findPromtool(), ['check', 'metrics'], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(metrics);
  return (await text(child.stderr)).split('\n').filter((line) => line !== '');
}
