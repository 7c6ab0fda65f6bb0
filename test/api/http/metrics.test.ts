import { OpenAPIHono } from '@hono/zod-openapi';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { ApiEnv, App } from '../../../api/deps.ts';
import { measureRequests, serveMetrics } from '../../../api/http/metrics.ts';

function createMeasuredApp(): { app: App; readMetrics: () => Promise<string> } {
  const registry = new Registry();
  const [app, operators] = [new OpenAPIHono<ApiEnv>(), new OpenAPIHono<ApiEnv>()];
  measureRequests(app, registry);
  serveMetrics(operators, registry);
  return { app, readMetrics: async () => await (await operators.request('/metrics')).text() };
}

const counted = (labels: string, count: number): string =>
  `delivery_http_request_duration_seconds_count{${labels}} ${count}`;

describe('measureRequests', () => {
  it('times each request by its route, for the port of the operators only', async () => {
    const { app, readMetrics } = createMeasuredApp();
    app.get('/orgs/:org', (c) => c.text('found'));
    for (const org of ['acme', 'other']) await app.request(`/orgs/${org}`);
    const metrics = await readMetrics();
    expect(metrics).toContain(counted('method="GET",route="/orgs/:org",status="200"', 2));
    expect(metrics).not.toContain('acme');
    expect((await app.request('/metrics')).status).toBe(404);
  });

  it('counts all unknown paths as one route, and failures by their status', async () => {
    const { app, readMetrics } = createMeasuredApp();
    app.onError((_, c) => c.text('failed', 500));
    app.post('/broken', () => {
      throw new Error('broken');
    });
    await app.request('/broken', { method: 'POST' });
    for (const path of ['/a', '/b/c']) await app.request(path);
    const metrics = await readMetrics();
    expect(metrics).toContain(counted('method="POST",route="/broken",status="500"', 1));
    expect(metrics).toContain(counted('method="GET",route="/*",status="404"', 2));
  });

  it('counts a request as in progress until its response begins', async () => {
    const { app, readMetrics } = createMeasuredApp();
    const answer = Promise.withResolvers<Response>();
    app.get('/slow', () => answer.promise);
    const response = app.request('/slow');
    expect(await readMetrics()).toContain('delivery_http_requests_in_progress 1');
    answer.resolve(new Response('late'));
    await response;
    expect(await readMetrics()).toContain('delivery_http_requests_in_progress 0');
  });

  it('times a stream only until its headers', async () => {
    const { app, readMetrics } = createMeasuredApp();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    app.get('/stream', () => new Response(body.readable));
    await app.request('/stream');
    expect(await readMetrics()).toContain(counted('method="GET",route="/stream",status="200"', 1));
    await body.writable.abort();
  });

  it('serves requests without a registry too', async () => {
    const app = new OpenAPIHono<ApiEnv>();
    measureRequests(app, undefined);
    app.get('/', (c) => c.text('found'));
    expect(await (await app.request('/')).text()).toBe('found');
  });
});
