import { SpanStatusCode, trace } from '@opentelemetry/api';
import { tracing } from '@opentelemetry/sdk-node';
import { expect, it, onTestFinished } from 'vitest';
import { parseRepo } from '../../../src/integrations/codehost/octokit-client.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

function recordSpans(): tracing.InMemorySpanExporter {
  const exporter = new tracing.InMemorySpanExporter();
  const provider = new tracing.BasicTracerProvider({ spanProcessors: [new tracing.SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => trace.disable());
  return exporter;
}

it('records a span per request, named by the route and not by the path', async () => {
  const exporter = recordSpans();
  const { client, url } = await startScriptedCodehost({ 'GET /repos/acme/secret': { body: {} } });
  await client.request('GET /repos/{owner}/{repo}', { owner: 'acme', repo: 'secret' });
  await client.request(`GET ${url}/repos/acme/secret`);
  await expect(client.request('GET /repos/{owner}/{repo}', { owner: 'acme', repo: 'none' })).rejects.toMatchObject({
    status: 404,
  });
  const { length, ...spans } = exporter.getFinishedSpans();
  expect(length).toBe(3);
  expect(spans).toMatchObject({
    0: { name: 'GET /repos/{owner}/{repo}', status: { code: SpanStatusCode.UNSET } },
    1: { name: 'GET code host', status: { code: SpanStatusCode.UNSET } },
    2: { name: 'GET /repos/{owner}/{repo}', status: { code: SpanStatusCode.ERROR } },
  });
});

it('completes the characters of a text that was cut', async () => {
  const { client, requests } = await startScriptedCodehost({ 'POST /repos/acme/shop/pulls': { body: {} } });
  const title = 'feat: Ferries ⛴ 🚢'.slice(0, -1);
  await client.request('POST /repos/{owner}/{repo}/pulls', {
    owner: 'acme',
    repo: 'shop',
    title,
    head: 'a',
    base: 'b',
  });
  expect(requests[0]?.body).toEqual({ title: 'feat: Ferries ⛴ \ufffd', head: 'a', base: 'b' });
});

it('takes the name of a repo apart', () => {
  expect(parseRepo('acme/shop')).toEqual({ owner: 'acme', repo: 'shop' });
  expect(parseRepo('acme')).toEqual({ owner: 'acme', repo: '' });
});
