import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

describe('listTemplates', () => {
  it('200: returns every template with its language to any person', async () => {
    const { request } = await startApi({ role: 'no-role' });
    const { items } = (await (await request('/v1/templates')).json()) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(['static-site', 'node-service', 'python-service', 'go-service']);
    expect(items[1]).toEqual({
      name: 'node-service',
      title: 'Node service',
      description: expect.stringContaining('health check'),
      language: 'node',
      available: true,
    });
  });

  it('200: says which template this machine cannot build, and what to install', async () => {
    const { request } = await startApi({ missingLanguages: { go: 'Go is not on PATH: install it.' } });
    const { items } = (await (await request('/v1/templates')).json()) as { items: object[] };
    expect(items[3]).toMatchObject({ available: false, unavailableReason: 'Go is not on PATH: install it.' });
    expect(items[0]).toMatchObject({ available: true });
  });
});
