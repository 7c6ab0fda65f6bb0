import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { startApi } from '../../support/start-api.ts';

it('429: refuses one domain more than the quota of the org, also by concurrent requests', async () => {
  const { request } = await startApi({ config: { quotas: { ...loadConfig({}).quotas, domainsPerOrg: 3 } } });
  const claims = await Promise.all(
    Array.from({ length: 15 }, async (_, index) => {
      const body = { name: `example-${index}.com`, kind: 'external' };
      return await request('/v1/orgs/acme/domains', { method: 'POST', body });
    }),
  );
  // The workflow server of this test is unreachable, so a claim that the quota allows ends with 503, and another may follow.
  expect(new Set(claims.map(({ status }) => status))).toEqual(new Set([429, 503]));
  expect(await claims.find(({ status }) => status === 429)?.json()).toMatchObject({
    reason: 'quota-reached',
    detail: expect.stringContaining('3 domains (QUOTA_DOMAINS_PER_ORG)'),
  });
});
