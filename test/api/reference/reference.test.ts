import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { problemKinds } from '../../../api/http/problem.ts';
import { reasons } from '../../../src/errors.ts';
import { startApi } from '../../support/start-api.ts';

type Operation = { operationId: string; security?: object[] };
type OpenApiDocument = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object; securitySchemes: object; headers: Record<string, { required?: boolean }> };
};

describe('the reference', () => {
  it('serves the same OpenAPI document as JSON and YAML', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const json = (await (await request('/openapi.json')).json()) as OpenApiDocument;
    expect(parse(await (await request('/openapi.yaml')).text())).toEqual(json);
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://localhost:8080/api' }] });
    expect(Object.keys(json.paths)).toContain('/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/approve');
  });

  it('describes every credential that an operation takes, and which headers every response has', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const { paths, components } = (await (await request('/openapi.json')).json()) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const schemes = operations.flatMap(({ security = [] }) => security.flatMap((scheme) => Object.keys(scheme)));
    expect(new Set(schemes)).toEqual(new Set(Object.keys(components.securitySchemes)));
    // These depend on the operation and on the moment at which the request fails.
    const optional = Object.entries(components.headers).flatMap(([name, { required }]) => (required ? [] : [name]));
    expect(optional.toSorted()).toEqual(['ETag', 'RateLimit', 'RateLimit-Policy']);
  });

  it('confirms a deletion with the name of what it deletes', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    type Parameter = { name: string; in: string; example?: unknown; schema?: { example?: unknown } };
    const { paths } = (await (await request('/openapi.json')).json()) as {
      paths: Record<string, { delete?: { parameters: Parameter[] } }>;
    };
    const readExample = ({ example, schema }: Parameter): unknown => example ?? schema?.example;
    const confirmed = Object.values(paths).flatMap((item) => {
      const { parameters = [] } = item.delete ?? {};
      const confirm = parameters.find(({ name }) => name === 'confirm');
      const deleted = parameters.findLast((parameter) => parameter.in === 'path');
      return confirm && deleted ? [[readExample(confirm), readExample(deleted)]] : [];
    });
    expect(confirmed.length).toBeGreaterThan(1);
    for (const [confirm, name] of confirmed) expect(confirm).toBe(name);
  });

  it('is where the base URL leads to', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const response = await request('');
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'http://localhost:8080/api/docs']);
  });

  it('makes each text once, so that asking for it costs nothing', async () => {
    const { request } = await startApi({ role: 'anonymous', isDocumented: false });
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

  it('describes an operation as the API behaves', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const html = await (await request('/docs/all')).text();
    const texts = html
      .split('<article id="')
      .map((article) => article.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));
    const findText = (id: string): string => texts.find((text) => text.startsWith(`${id}"`)) ?? '';
    expect(html).toContain('<article id="getTeams" class="deprecated">');
    expect(findText('getTeams')).toMatch(/ viewer +deprecated /);
    expect(findText('getAccessGroups')).not.toContain('deprecated');
    const users = findText('listUsers');
    expect(users).toContain(' limit query, optional, integer, 1 to 500, default 50 The maximum number of items.');
    expect(users).toContain(' 200 A page of users with RateLimit , RateLimit-Policy , ETag application/json { items: ');
    expect(users).toContain(' Example of listUsers curl &quot;http://localhost:8080/api/v1/access/users&quot;');
    expect(users).toContain('&quot;email&quot;: &quot;ada@example.com&quot;');
    expect(users).not.toContain(' Body');
    expect(findText('getOrg')).toContain(' org path, string, ');
    expect(findText('mintToken')).toContain(' Body application/json ');
    expect(findText('listReleases')).toMatch(/ text\/event-stream Server-sent events .* changed An item .* closed /);
    expect(findText('uploadArchive')).toMatch(/ Body application\/zip application\/x-zip-compressed Responses /);
    expect(html).toContain('<a href="/api/docs/problems#forbidden">Forbidden</a>');
    expect(html.match(/<a href="#mintToken">/g)).toHaveLength(2);
  });

  it('documents every problem type and every reason', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const html = await (await request('/docs/problems')).text();
    for (const code of Object.keys(problemKinds)) expect(html).toContain(`id="${code}"`);
    expect(html.split('<article id="forbidden"')[1]?.split('</article>')[0]).toContain('id="reason-insufficient-role"');
    expect(html.match(/id="reason-insufficient-role"/g)).toHaveLength(1);
    for (const [reason, { help }] of Object.entries(reasons)) {
      expect(html).toContain(`id="reason-${reason}"`);
      expect(html).toContain(help.split('`')[0]);
    }
  });
});
