import { expect, it } from 'vitest';
import { addressViolations } from '../../src/reconcile/address-violations.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import type { ZoneAddress } from '../../src/rules/domains/addresses.ts';
import type { ProductSpec } from '../../src/rules/products/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const platform = 'apps.example.net';
const toSpec = (...zones: ZoneAddress[][]): ProductSpec => ({
  repos: [],
  delivery: {
    zones: zones.map((addresses, index) => ({ name: `z${index}`, promotionPolicy: 'automatic', addresses })),
  },
});

async function check(spec: ProductSpec, before?: ProductSpec) {
  const { deps, store } = await createReconcileDeps();
  for (const [namespace, name, shared] of [
    ['org-acme', 'own.example', false],
    ['org-platform', 'shared.example', true],
  ] as const) {
    const domain = { metadata: { namespace, name }, spec: { name, kind: 'external', shared, token: 't' } } as const;
    const { metadata } = await store.create(DomainKind, domain);
    await store.updateStatus(DomainKind, metadata, () => ({
      state: 'Verified' as const,
      claimedAt: '2027-01-01T00:00:00Z',
    }));
  }
  const errors = await addressViolations(store, { org: 'acme', spec, before, settings: deps.config.domains });
  return errors.map(({ pointer, detail }) => `${pointer.replace('/spec/delivery/zones/', '')}: ${detail}`);
}

it('accepts addresses under the domains that the org can use, and "www" under its own', async () => {
  const spec = toSpec(
    [
      { domain: 'own.example', name: '' },
      { domain: 'own.example', name: 'www' },
    ],
    [
      { domain: 'shared.example', name: 'shop' },
      { domain: platform, name: 'shop' },
    ],
  );
  expect(await check(spec)).toEqual([]);
});

it.each<[description: string, addresses: ZoneAddress[], error: string]>([
  [
    'a duplicate',
    Array.from({ length: 2 }, () => ({ domain: 'own.example', name: 'a' })),
    '1/addresses/1: a.own.example is a duplicate',
  ],
  [
    'the default address of another zone',
    [{ domain: platform, name: 'z0' }],
    '1/addresses/0/name: z0.apps.example.net is the default address of the zone',
  ],
  [
    'a reserved name under a shared domain',
    [{ domain: 'shared.example', name: 'www' }],
    '1/addresses/0/name: "www" is reserved',
  ],
  [
    'a domain that is not written as its name',
    [{ domain: 'Own.example', name: 'a' }],
    '1/addresses/0/domain: must be written as "own.example"',
  ],
  ['an unknown domain', [{ domain: 'other.example', name: 'a' }], '1/addresses/0/domain: is not a verified domain'],
])('rejects %s', async (_, addresses, error) => {
  expect(await check(toSpec([], addresses))).toEqual([expect.stringContaining(error)]);
});

it('keeps an address that the Product has, when its domain is no longer usable', async () => {
  const spec = toSpec([{ domain: 'lost.example', name: 'a' }]);
  expect(await check(spec, spec)).toEqual([]);
  expect(await check(spec, toSpec([{ domain: 'lost.example', name: 'b' }]))).toHaveLength(1);
});

it('reads no domains for zones without an address of their own', async () => {
  const { deps, store } = await createReconcileDeps();
  const list = async (): Promise<never> => await Promise.reject(new Error('The store is away.'));
  const request = { org: 'acme', spec: toSpec([], []), before: undefined, settings: deps.config.domains };
  expect(await addressViolations({ ...store, list }, request)).toEqual([]);
});
