import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/main/tools/run-program.ts';
import { type ToolSearch, toolCacheDir } from '../../src/main/tools/tool.ts';
import { ensureDashboardSchema } from './ensure-dashboard-schema.ts';
import { parseExpression } from './parse-expression.ts';
import { dashboardsFolder, listExpressions, readDashboards } from './read-dashboards.ts';

const { env } = process;
const onProgress = (message: string): void => void process.stderr.write(`${message}\n`);
const search: ToolSearch = { cacheDir: toolCacheDir(env), env, onProgress };
const schema = await ensureDashboardSchema(search);
if ('missing' in schema) {
  if (env['CI']) throw new Error(schema.missing);
  process.stderr.write(`\nSKIPPING TESTS THAT NEED THE SCHEMA OF DASHBOARDS. ${schema.missing}\n\n`);
}

const check = async (...files: string[]) =>
  await runProgram('path' in schema ? schema.path : '', files, { env, silenceMs: 60_000 });

async function checkChanged(change: (text: string) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboards-'));
  try {
    const file = join(folder, 'service.json');
    const original = await readFile(new URL('service.json', dashboardsFolder), 'utf8');
    const changed = change(original);
    if (changed === original) throw new Error('Nothing was changed.');
    await writeFile(file, changed);
    return (await check(file)).output;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf('missing' in schema)('the schema of Grafana', () => {
  it('accepts the dashboards', async () => {
    const folder = fileURLToPath(dashboardsFolder);
    const files = (await readdir(folder)).map((file) => join(folder, file));
    expect(files).toHaveLength(2);
    expect(await check(...files)).toEqual({ ok: true, output: '' });
  });

  it.each([
    ['an unknown field of a panel', (text: string) => text.replace('"gridPos"', '"gridPosition"'), 'gridPosition'],
    ['an unknown option', (text: string) => text.replace('"showPoints"', '"showDots"'), 'showDots'],
    ['an unknown field of a query', (text: string) => text.replace('"legendFormat"', '"legend"'), 'legend'],
    [
      'a value of the wrong type',
      (text: string) => text.replace('"schemaVersion": 39', '"schemaVersion": "39"'),
      'schemaVersion',
    ],
  ])('refuses %s', async (_, change, named) => {
    expect(await checkChanged(change)).toContain(named);
  });
});

describe('the dashboards', () => {
  it('query metrics by expressions that parse, and only those of the chosen release', async () => {
    const expressions = listExpressions(await readDashboards());
    expect(expressions.length).toBeGreaterThan(40);
    for (const expression of expressions) {
      const own = expression.match(/job="\$job", namespace="\$namespace"/g) ?? [];
      expect(own, expression).toHaveLength(parseExpression(expression).metrics.length);
      expect(own.length, expression).toBeGreaterThan(0);
    }
    for (const { templating } of await readDashboards())
      expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'namespace', 'job']);
  });

  it('have panels that explain themselves and do not overlap', async () => {
    for (const { title, panels } of await readDashboards()) {
      expect(new Set(panels.map(({ id }) => id)).size, title).toBe(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
      );
      expect(new Set(cells).size, title).toBe(cells.length);
      for (const panel of panels.filter(({ type }) => type !== 'row'))
        expect(panel.description, panel.title).toMatch(/^[A-Z].*\.$/);
    }
  });
});
