import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

describe('getStatus', () => {
  it('200: responds while the workflow server is unreachable, and says that progress is paused', async () => {
    const { request } = await startApi({ role: 'viewer' });
    expect(await (await request('/v1/status')).json()).toMatchObject({
      kind: 'Installation',
      version: 'test',
      store: { reachable: true },
      workflows: { reachable: false },
      resources: { organizations: 1, products: 0 },
      message: expect.stringContaining('are paused'),
    });
  });
});
