import { OpenAPIHono } from '@hono/zod-openapi';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { countRequests, serveMetrics } from '../../../api/http/metrics.ts';

it('counts each request by its route, for the port of the operators only', async () => {
  const registry = new Registry();
  const [app, operators] = [new OpenAPIHono<ApiEnv>(), new OpenAPIHono<ApiEnv>()];
  countRequests(app, registry);
  app.get('/orgs/:org', (c) => c.text('found'));
  serveMetrics(operators, registry);
  await app.request('/orgs/acme');
  const metrics = await (await operators.request('/metrics')).text();
  expect(metrics).toMatch(/^http_request_duration_seconds_count\{.*route="\/orgs\/:org".*\} 1$/m);
  expect((await app.request('/metrics')).status).toBe(404);
});

it('serves requests without a registry too', async () => {
  const app = new OpenAPIHono<ApiEnv>();
  countRequests(app, undefined);
  app.get('/', (c) => c.text('found'));
  expect(await (await app.request('/')).text()).toBe('found');
});
