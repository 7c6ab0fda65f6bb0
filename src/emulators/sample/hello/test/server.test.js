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

test('an unknown page is not found', async () => {
  const response = await fetch(`${address}/nothing`);
  assert.equal(response.status, 404);
});
