import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

it('422: points at the field of the request that a wrong repo or zone is made from', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const template = 'node-service';
  for (const [name, spec, pointer] of [
    ['shop', { repos: ['acme/gitops'] }, '/spec/repos/0'],
    ['gitops', { source: { template } }, '/name'],
    ['shop', { source: { template, repo: 'acme/gitops' } }, '/spec/source/repo'],
    ['shop', { repos: ['acme/gitops'], source: { template, repo: 'acme/gitops' } }, '/spec/repos/0'],
    ['shop', { source: { template }, delivery: { zones: [{ name: 'argocd' }] } }, '/spec/delivery/zones/0/name'],
  ] as const) {
    const response = await request('/v1/orgs/acme/products', { method: 'POST', body: { name, spec } });
    const { status, errors } = (await response.json()) as { status: number; errors: { pointer: string }[] };
    expect([status, errors[0]?.pointer], JSON.stringify({ name, spec })).toEqual([422, pointer]);
  }
});
