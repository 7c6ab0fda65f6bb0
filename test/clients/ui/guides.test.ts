import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { guides } from '../../../src/clients/ui/pages/help/guide-list.ts';
import { startApi } from '../../support/start-api.ts';

const folder = fileURLToPath(new URL('../../../src/clients/ui/pages/help/guides/', import.meta.url));
type OpenApiDocument = { paths: Record<string, Record<string, { operationId: string }>> };

type Command = { method: string; path: string; query: string; body?: unknown };

/** Lists the requests that the commands of a guide send. */
const listCommands = (text: string): Command[] =>
  [...text.matchAll(/^curl (?:-X (\w+) )?"\$URL\/api([^"?]+)(\?[^"]*)?"([^]*?)(?=\n(?:curl|```))/gm)].map(
    ([, method, path = '', query = '', rest = '']) => {
      const [, json] = /--json '([^']*)'/.exec(rest) ?? [];
      const body = json === undefined ? {} : { body: JSON.parse(json) as unknown };
      return { method: (method ?? (json === undefined ? 'get' : 'post')).toLowerCase(), path, query, ...body };
    },
  );

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
      const commands = listCommands(text);
      expect(commands.length, name).toBeGreaterThan(0);
      for (const { method, path } of commands) {
        const found = patterns.find(({ pattern }) => pattern.test(path.replaceAll(/\$\w+/g, 'name')));
        expect(found?.methods ?? [], `${name}: ${method} ${path}`).toContain(method);
      }
    }
  });

  it('have commands about objectives and incidents that succeed one after the other', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const hello = { name: 'hello', spec: { repos: ['acme/hello'] } };
    expect((await request('/v1/orgs/acme/products', { method: 'POST', body: hello })).status).toBe(201);
    let incident = '';
    let preview = '';
    const commands = listCommands(await readFile(`${folder}objectives.md`, 'utf8'));
    for (const { method, path, query, body } of commands) {
      const url = path.replace('$INCIDENT', incident) + query;
      const response = await request(url, { method: method.toUpperCase(), ...(body !== undefined && { body }) });
      const text = await response.text();
      expect(response.ok, `${method} ${url}: ${text}`).toBe(true);
      if (response.status === 201) incident = (JSON.parse(text) as { name: string }).name;
      if (query === '?dryRun=true') preview = text;
    }
    expect(commands).toHaveLength(7);
    expect(preview).toContain('alert: ServiceFastBurn');
  });
});
