import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startTracing } from '../../../src/main/tracing/start-tracing.ts';

/** Starts a server in the place of a collector. The texts of a span are readable in what it receives. */
async function startReceiver() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString('latin1');
    received.push(`${request.url} ${body}`);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

it('exports the listed attributes of a span, and no message of an error', async () => {
  const { endpoint, received } = await startReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tracing = await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'delivery-test');
  const span = tracing!.tracer.startSpan('RunActivity:agentTurn');
  span.setAttributes({ org: 'acme', memo: 'secret-memo', 'temporal.result': 'secret-result' });
  span.recordException(new Error('secret-message'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'secret-status' });
  span.end();
  await tracing!.stop();
  expect(received.join()).toMatch(/^\/v1\/traces /);
  for (const text of ['delivery-test', 'RunActivity:agentTurn', 'acme']) expect(received.join()).toContain(text);
  expect(received.join()).not.toContain('secret');
});

it('exports spans again after a stop and another start in the same process', async () => {
  const { endpoint, received } = await startReceiver();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['first-start', 'second-start']) {
    const tracing = await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'delivery-test');
    trace.getTracer('workflows').startSpan(name).end();
    await tracing!.stop();
    expect(received.join()).toContain(name);
  }
});
