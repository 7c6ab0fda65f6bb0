import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { guides } from '../../../src/clients/ui/pages/help/guide-list.ts';
import { startApi } from '../../support/start-api.ts';

const folder = fileURLToPath(new URL('../../../src/clients/ui/pages/help/guides/', import.meta.url));
type OpenApiDocument = { paths: Record<string, Record<string, { operationId: string }>> };

describe('the guides', () => {
  it('are the files of their folder', async () => {
    const files = await readdir(folder);
    expect(files.toSorted()).toEqual(guides.map(({ name }) => `${name}.md`).toSorted());
  });

  it('name only operations and paths of the API', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const { paths } = (await (await request('/openapi.json')).json()) as OpenApiDocument;
    const operationIds = Object.values(paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
    const patterns = Object.entries(paths).map(([path, item]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods: Object.keys(item),
    }));
    for (const { name } of guides) {
      const text = await readFile(`${folder}${name}.md`, 'utf8');
      const linked = [...text.matchAll(/\/api\/docs#(\w+)/g)].map(([, id = '']) => id);
      expect(linked.length, name).toBeGreaterThan(0);
      expect(
        linked.filter((id) => !operationIds.includes(id)),
        name,
      ).toEqual([]);
      const commands = [...text.matchAll(/^curl (-X POST )?"\$URL\/api([^"?]+)[^]*?\n```$/gm)];
      expect(commands.length, name).toBeGreaterThan(0);
      for (const [command, isPost, path = ''] of commands) {
        const method = isPost !== undefined || command.includes('--json') ? 'post' : 'get';
        const found = patterns.find(({ pattern }) => pattern.test(path.replaceAll('$RUN', 'run')));
        expect(found?.methods ?? [], `${name}: ${method} ${path}`).toContain(method);
      }
    }
  });
});
