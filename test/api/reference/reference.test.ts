import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { problemKinds } from '../../../api/http/problem.ts';
import { reasons } from '../../../src/errors.ts';
import { startApi } from '../../support/start-api.ts';

type OpenApiDocument = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: object };
};

describe('the reference', () => {
  it('serves the same OpenAPI document as JSON and YAML', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const json = (await (await request('/openapi.json')).json()) as OpenApiDocument;
    expect(parse(await (await request('/openapi.yaml')).text())).toEqual(json);
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://localhost:8080/api' }] });
    expect(Object.keys(json.paths)).toContain('/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/approve');
  });

  it('is where the base URL leads to', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const response = await request('');
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'http://localhost:8080/api/docs']);
  });

  it('makes each text once, so that asking for it costs nothing', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const paths = ['/openapi.yaml', '/openapi.json', '/docs', '/docs/problems'];
    const measureCpu = async (requests: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      await requests();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const readAll = async () => await Promise.all(paths.map(async (path) => await (await request(path)).text()));
    const first = await measureCpu(readAll);
    const fiftyMore = await measureCpu(async () => await Promise.all(Array.from({ length: 50 }, readAll)));
    expect(fiftyMore).toBeLessThan(10 * first);
    expect(await readAll()).toEqual(await readAll());
  });

  it('documents every operation on one page that loads no other resource', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const response = await request('/docs');
    const html = await response.text();
    const { paths } = (await (await request('/openapi.json')).json()) as OpenApiDocument;
    for (const { operationId } of Object.values(paths).flatMap((item) => Object.values(item)))
      expect(html).toContain(`<article id="${operationId}"`);
    expect(html).not.toMatch(/<script|<link|src=|@import|url\(/);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const anchors = [...html.matchAll(/href="#([\w-]+)"/g)].map(([, anchor]) => anchor);
    expect(anchors.filter((anchor) => !html.includes(`id="${anchor}"`))).toEqual([]);
  });

  it('documents every problem type and every reason', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const html = await (await request('/docs/problems')).text();
    for (const code of Object.keys(problemKinds)) expect(html).toContain(`id="${code}"`);
    for (const [reason, { help }] of Object.entries(reasons)) {
      expect(html).toContain(`id="reason-${reason}"`);
      expect(html).toContain(help.split('`')[0]);
    }
  });
});
