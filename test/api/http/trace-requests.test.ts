import { OpenAPIHono } from '@hono/zod-openapi';
import { propagation, type Tracer } from '@opentelemetry/api';
import { core, tracing } from '@opentelemetry/sdk-node';
import { beforeAll, expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { traceRequests } from '../../../api/http/trace-requests.ts';

beforeAll(() => void propagation.setGlobalPropagator(new core.W3CTraceContextPropagator()));

const foreign = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${foreign.traceId}-${foreign.spanId}-00`;

function createTracedApp(): { app: OpenAPIHono<ApiEnv>; exporter: tracing.InMemorySpanExporter } {
  const exporter = new tracing.InMemorySpanExporter();
  const provider = new tracing.BasicTracerProvider({ spanProcessors: [new tracing.SimpleSpanProcessor(exporter)] });
  const app = new OpenAPIHono<ApiEnv>();
  traceRequests(app, provider.getTracer('test') as Tracer);
  app.get('/orgs/:org', (c) => c.text('found'));
  app.get('/broken', (c) => c.text('broken', 500));
  return { app, exporter };
}

it('names the span of a request by its route and keeps the query string out of it', async () => {
  const { app, exporter } = createTracedApp();
  await app.request('/orgs/acme?token=secret');
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({
    name: 'GET /orgs/:org',
    attributes: {
      org: 'acme',
      'http.request.method': 'GET',
      'http.route': '/orgs/:org',
      'http.response.status_code': 200,
    },
  });
  expect(JSON.stringify(span?.attributes)).not.toContain('secret');
});

it('links the trace of a caller and starts a new trace', async () => {
  const { app, exporter } = createTracedApp();
  await app.request('/orgs/acme', { headers: { traceparent } });
  const [span] = exporter.getFinishedSpans();
  expect(span?.links.map(({ context }) => context.traceId)).toEqual([foreign.traceId]);
  expect(span?.spanContext().traceId).not.toBe(foreign.traceId);
  expect(span?.parentSpanContext).toBeUndefined();
});

it.each(['not a trace', `00-${'0'.repeat(32)}-${foreign.spanId}-00`])('links no trace for %s', async (text) => {
  const { app, exporter } = createTracedApp();
  await app.request('/orgs/acme', { headers: { traceparent: text } });
  expect(exporter.getFinishedSpans()[0]?.links).toEqual([]);
});

it('records no name that a stranger has sent in a refused path', async () => {
  const { app, exporter } = createTracedApp();
  app.get('/refused/:org', (c) => c.text('no', 400));
  await app.request('/refused/secret');
  expect(exporter.getFinishedSpans()[0]).toMatchObject({ status: { code: 0 } });
  expect(JSON.stringify(exporter.getFinishedSpans()[0]?.attributes)).not.toContain('secret');
});

it('marks the span of a failed request', async () => {
  const { app, exporter } = createTracedApp();
  await app.request('/broken');
  expect(exporter.getFinishedSpans()[0]?.status.code).toBe(2);
});

it('records nothing without a tracer', async () => {
  const app = new OpenAPIHono<ApiEnv>();
  traceRequests(app, undefined);
  app.get('/', (c) => c.text('found'));
  expect(await (await app.request('/')).text()).toBe('found');
});
