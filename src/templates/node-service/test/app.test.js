import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createApp } from '../app.js';

const app = createApp({ version: 'v1.2.3' });
let url;

before(async () => {
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  url = `http://127.0.0.1:${app.address().port}`;
});
after(() => app.close());

test('the front page shows the name of the service', async () => {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<h1>node-service<\/h1>/);
});

test('/healthz returns ok', async () => {
  assert.equal(await (await fetch(`${url}/healthz`)).text(), 'ok');
});

test('/version returns the version that runs', async () => {
  assert.deepEqual(await (await fetch(`${url}/version`)).json(), { version: 'v1.2.3' });
});

test('an unknown page is not found', async () => {
  assert.equal((await fetch(`${url}/toString`)).status, 404);
});

test('/metrics counts requests by the status code of their response', async () => {
  await (await fetch(`${url}/nothing`)).text();
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^http_requests_total\{code="404"\} [1-9]/m);
});
