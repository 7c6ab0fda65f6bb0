import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

it.each([
  [['acme/shop'], undefined, undefined],
  [['acme/shop', 'acme/till'], 'acme/till', undefined],
  [['acme/shop', 'acme/till'], undefined, 'must be one of acme/shop, acme/till'],
  [['acme/shop'], 'acme/other', 'must be one of acme/shop'],
  [[], undefined, 'has no match: add a repo to spec.repos'],
])('chooses one of %j for a request that names %s, or says why not: %s', async (repos, repo, detail) => {
  const { request } = await startApi({ role: 'org-admin' });
  const product = { name: 'shop', spec: { repos } };
  expect((await request('/v1/orgs/acme/products', { method: 'POST', body: product })).status).toBe(201);
  const body = { title: 'A bug', ...(repo !== undefined && { repo }) };
  const response = await request('/v1/orgs/acme/products/shop/issues', { method: 'POST', body });
  // A repo that is found is looked up at the code host, which the org is not connected to.
  const found = { reason: 'codehost-not-connected' };
  expect(await response.json()).toMatchObject(
    detail === undefined ? found : { errors: [{ pointer: '/repo', detail }] },
  );
});
