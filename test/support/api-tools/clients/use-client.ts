import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

// No type definitions of Node are installed with the generator.
declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const acme = { params: { path: { org: 'acme' } } };
const hello = { params: { path: { org: 'acme', product: 'hello' } } };

function get<T>(result: { data?: T; response: Response }): T {
  if (result.data === undefined) throw new Error(`${result.response.url}: ${result.response.status}`);
  return result.data;
}

const me = get(await client.GET('/v1/me'));
const orgs = get(await client.GET('/v1/orgs', { params: { query: { limit: 500 } } }));
const products = get(await client.GET('/v1/orgs/{org}/products', acme));
const product = get(await client.GET('/v1/orgs/{org}/products/{product}', hello));
const zones = get(await client.GET('/v1/orgs/{org}/products/{product}/zones', hello));
const production = product.status?.zones?.find(({ name }) => name === 'hello-prod');

// Lists and resources that can be followed are typed as their JSON body, never as text.
const runs = get(await client.GET('/v1/orgs/{org}/agentworkflowruns', acme));
const runName = runs.items[0]?.name ?? '';
const run = get(
  await client.GET('/v1/orgs/{org}/agentworkflowruns/{run}', { params: { path: { org: 'acme', run: runName } } }),
);
const releases = get(await client.GET('/v1/orgs/{org}/releases', acme));
const releaseName = releases.items[0]?.name ?? '';
const release = get(
  await client.GET('/v1/orgs/{org}/releases/{name}', { params: { path: { org: 'acme', name: releaseName } } }),
);

const stale = await client.PUT('/v1/orgs/{org}/products/{product}', {
  params: { ...hello.params, header: { 'If-Match': '"1"' } },
  body: { spec: product.spec },
});
const current = await client.PUT('/v1/orgs/{org}/products/{product}', {
  params: { ...hello.params, header: { 'If-Match': `"${product.resourceVersion}"` } },
  body: { spec: product.spec },
});
const missing = await client.GET('/v1/orgs/{org}/products/{product}', {
  params: { path: { org: 'acme', product: 'nosuch' } },
});
const mistyped = await client.POST('/v1/orgs/{org}/products/{product}/issues', {
  params: { ...hello.params, header: { 'Idempotency-Key': crypto.randomUUID() } },
  // @ts-expect-error The document has no such property.
  body: { titel: 'Greet' },
});
const issue = get(
  await client.POST('/v1/orgs/{org}/products/{product}/issues', {
    params: { ...hello.params, header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { title: 'Greet visitors in their language', body: '', labels: [] },
  }),
);

process.stdout.write(
  JSON.stringify({
    me: me.email,
    orgs: orgs.items.map(({ name }) => name),
    products: products.items.map(({ name, spec }) => [name, spec.repos]),
    zones: zones.items.map(({ name }) => name).toSorted(),
    production: production?.release,
    run: [run.status?.phase, run.spec.steps.length > 0, Object.keys(run.spec.roles).length > 0],
    release: [release.status?.phase, release.spec.version],
    stale: [stale.response.status, stale.error?.reason],
    current: [current.response.status, current.data && 'name' in current.data && current.data.name],
    missing: [missing.response.status, missing.error?.reason],
    mistyped: [mistyped.response.status, mistyped.error?.errors[0]?.pointer],
    issue: [issue.title, issue.number > 0],
  }),
);
