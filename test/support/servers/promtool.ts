import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PrometheusRuleGroup } from '../../../src/kinds/prometheus-operator.ts';
import { ensurePrometheus } from '../../../src/main/tools/ensure-metrics-servers.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

/** Writes rules and their unit tests to a temporary folder, and runs promtool there. */
export async function runPromtool(
  command: 'check' | 'test',
  { groups, test }: { groups: PrometheusRuleGroup[]; test?: object },
): Promise<{ ok: boolean; output: string }> {
  const { env } = process;
  const found = await ensurePrometheus({ cacheDir: toolCacheDir(env), env, onProgress: () => {} });
  if ('missing' in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), 'promtool-'));
  try {
    // Prometheus reads YAML, and JSON is valid YAML.
    await writeFile(join(folder, 'rules.yml'), JSON.stringify({ groups }));
    await writeFile(join(folder, 'test.yml'), JSON.stringify({ rule_files: ['rules.yml'], ...test }));
    const promtool = join(dirname(found.command[0]), 'promtool');
    return await runProgram(
      promtool,
      [command, 'rules', join(folder, command === 'check' ? 'rules.yml' : 'test.yml')],
      {
        env,
        timeoutMs: 120_000,
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
