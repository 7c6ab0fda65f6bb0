import { expect, it } from 'vitest';
import { toCrumbs } from '../../../../src/clients/ui/shell/to-crumbs.ts';

it.each([
  ['/', 'Waiting for you'],
  ['/device', 'Sign in a tool'],
  ['/help', 'Help'],
  ['/help/first-change', 'Help > First change'],
  ['/settings/users', 'Settings > People'],
  ['/acme', 'acme > Products'],
  ['/acme/activity', 'acme > Activity'],
  ['/acme/settings/roles/architect', 'acme > Settings > AgentRoles > architect'],
  ['/acme/products/shop/zones/shop-prod/settings', 'acme > Products > shop > shop-prod > Settings'],
  ['/acme/changes/change-shop-418/evidence/image', 'acme > Changes > change-shop-418 > Evidence'],
])('%s is %s', (path, crumbs) => {
  expect(
    toCrumbs(path)
      .map(({ label }) => label)
      .join(' > '),
  ).toBe(crumbs);
});

it('names the Product of a Release', () => {
  expect(toCrumbs('/acme/releases/shop-v1.0.0', { product: 'shop', version: 'v1.0.0' })).toEqual([
    { label: 'acme', to: '/acme' },
    { label: 'Products' },
    { label: 'shop', to: '/acme/products/shop' },
    { label: 'Releases', to: '/acme/releases', search: { product: 'shop' } },
    { label: 'v1.0.0' },
  ]);
});
