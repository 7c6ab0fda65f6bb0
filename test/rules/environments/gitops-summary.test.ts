import { expect, it } from 'vitest';
import { summarizeGitops } from '../../../src/rules/environments/gitops-summary.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';
import type { Product } from '../../../src/rules/products/kinds.ts';

const buildOrg = (name: string) => ({ metadata: { name }, spec: { gitopsRepo: `${name}/gitops` } }) as Organization;
const buildProduct = (org: string, name: string, zones: string[], status: unknown): Product =>
  ({
    metadata: { namespace: `org-${org}`, name },
    spec: { delivery: { zones: zones.map((zone) => ({ name: zone })) } },
    status,
  }) as Product;
const unreadable = {
  type: 'GitopsRepoReadable',
  status: 'False',
  message: 'Argo CD cannot read the gitops repo: no such host.',
};
const currentPromotion = { release: 'shop-v2', version: 'v2', phase: 'Deploying' };

it('counts the zones of an org by their place in the order of delivery', () => {
  const products = [
    buildProduct('acme', 'shop', ['shop-rc', 'shop-prod'], {
      zones: [
        { name: 'shop-rc', release: 'shop-v2' },
        { name: 'shop-prod', release: 'shop-v1', currentPromotion, freeze: { reason: 'Fair' } },
        { name: 'removed', release: 'shop-v1' },
      ],
    }),
    buildProduct('acme', 'pay', ['pay-rc', 'pay-stage', 'pay-prod'], undefined),
    buildProduct('other', 'shop', ['other-prod'], { zones: [{ name: 'other-prod', release: 'shop-v1' }] }),
  ];
  const [acme, other, empty] = summarizeGitops([buildOrg('acme'), buildOrg('other'), buildOrg('empty')], products);
  expect(acme).toEqual({
    org: 'acme',
    repo: 'acme/gitops',
    readable: true,
    products: 2,
    waves: [
      { wave: 1, zones: 2, running: 1, promoting: 0, frozen: 0 },
      { wave: 2, zones: 2, running: 1, promoting: 1, frozen: 1 },
      { wave: 3, zones: 1, running: 0, promoting: 0, frozen: 0 },
    ],
  });
  expect(other?.waves).toEqual([{ wave: 1, zones: 1, running: 1, promoting: 0, frozen: 0 }]);
  expect(empty).toMatchObject({ products: 0, waves: [], readable: true });
});

it('tells why the deployment controller cannot read a repo', () => {
  const readable = { ...unreadable, status: 'True', message: 'Argo CD can read the gitops repo.' };
  const products = [
    buildProduct('acme', 'shop', [], { conditions: [readable] }),
    buildProduct('acme', 'pay', [], { conditions: [{ ...unreadable, type: 'Accepted' }, unreadable] }),
  ];
  expect(summarizeGitops([buildOrg('acme')], products)).toMatchObject([
    { readable: false, message: unreadable.message },
  ]);
  expect(summarizeGitops([buildOrg('acme')], products.slice(0, 1))).toMatchObject([{ readable: true }]);
});
