import { expect, it } from 'vitest';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';

it('is live but not ready while the workflow server is unreachable', async () => {
  const { app } = await startApi();
  expect((await app.request('/livez')).status).toBe(200);
  expect((await app.request('/healthz')).status).toBe(503);
  const response = await app.request('/readyz?verbose');
  expect(response.status).toBe(503);
  expect(await response.text()).toBe('[+] store ok\n[-] workflows failed\n[+] accepting ok');
});

it('is ready without an excluded dependency, until the process shuts down', async () => {
  const controller = new AbortController();
  const { app } = await startApi({ stopSignal: controller.signal });
  expect((await app.request('/readyz?exclude=workflows')).status).toBe(200);
  controller.abort();
  expect((await app.request('/readyz?exclude=workflows')).status).toBe(503);
});

it('is not ready while its store fails, unless the store is excluded too', async () => {
  const store = openTestStore();
  let isFailing = false;
  const find: typeof store.find = async (...args) =>
    isFailing ? await Promise.reject(new Error('The disk is full.')) : await store.find(...args);
  const { app } = await startApi({ store: { ...store, find } });
  isFailing = true;
  const response = await app.request('/readyz?verbose&exclude=workflows');
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('[-] store failed');
  expect((await app.request('/readyz?exclude=workflows&exclude=store')).status).toBe(200);
});

it('404: serves no metrics next to the API, because they tell about all orgs', async () => {
  const { app } = await startApi();
  expect((await app.request('/metrics')).status).toBe(404);
});
