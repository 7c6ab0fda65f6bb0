import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createApp } from '../app.js';

const app = createApp({ version: 'v1.2.3', commit: '0123456789abcdef' });
let address;

before(async () => {
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  address = `http://127.0.0.1:${app.address().port}`;
});
after(() => app.close());

test('the front page greets and says which version runs', async () => {
  const response = await fetch(address);
  const body = await response.text();
  assert.equal(response.status, 200);
  assert.match(body, /<h1>Hello, world<\/h1>/);
  assert.match(body, /v1\.2\.3/);
});

test('/version tells the version and commit as JSON', async () => {
  const response = await fetch(`${address}/version`);
  assert.deepEqual(await response.json(), { version: 'v1.2.3', commit: '0123456789abcdef' });
});

test('/healthz says ok', async () => {
  const response = await fetch(`${address}/healthz`);
  assert.equal(await response.text(), 'ok');
});

test('/metrics counts requests by status code, and their durations', async () => {
  const read = async () => await (await fetch(`${address}/metrics`)).text();
  const count = (text, series) => Number(text.split('\n').find((line) => line.startsWith(`${series} `))?.split(' ')[1]);
  const before = await read();
  await (await fetch(address)).text();
  const after = await read();
  for (const series of [
    'http_requests_total{code="200"}',
    'http_request_duration_seconds_count',
    'http_request_duration_seconds_bucket{le="5"}',
    'http_request_duration_seconds_bucket{le="+Inf"}',
  ])
    assert.equal(count(after, series), count(before, series) + 1, series);
  assert.equal(count(after, 'http_requests_total{code="500"}'), 0);
});

test('an unknown page is not found', async () => {
  const response = await fetch(`${address}/nothing`);
  assert.equal(response.status, 404);
});
