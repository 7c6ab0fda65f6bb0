import { expect, it } from 'vitest';
import { startApi } from '../support/start-api.ts';

it('is alive, and not ready while the workflow server is away', async () => {
  const { app } = await startApi();
  expect((await app.request('/livez')).status).toBe(200);
  expect((await app.request('/healthz')).status).toBe(503);
  const ready = await app.request('/readyz?verbose');
  expect(ready.status).toBe(503);
  expect(await ready.text()).toBe('[+] store ok\n[-] workflows failed\n[+] accepting ok');
});

it('reads while the workflow server is away, and says that nothing moves', async () => {
  const { request } = await startApi({ role: 'viewer' });
  expect(await (await request('/v1/status')).json()).toMatchObject({
    kind: 'Installation',
    version: 'test',
    store: { reachable: true },
    workflows: { reachable: false },
    resources: { organizations: 1, products: 0 },
    message: expect.stringContaining('nothing moves'),
  });
});
