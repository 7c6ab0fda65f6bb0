import { expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { addressReservationLabels } from '../../src/rules/domains/address-reservations.ts';
import { deleteAddressReservations, listAddressReservations } from '../../src/store/address-reservations.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

it('deletes only the reservations that the Product holds', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  const domain = 'shop.example';
  const reserve = async (name: string, [org, product]: [string, string], label: string) =>
    await store.create(ConfigMapKind, {
      metadata: { namespace: 'service-system', name, labels: addressReservationLabels(domain) },
      data: { org, product, domain, host: `${label}.${domain}` },
    });
  await reserve('one', ['acme', 'shop'], 'www');
  await reserve('two', ['acme', 'cake'], 'www');
  await reserve('three', ['other', 'shop'], 'www');
  await reserve('four', ['acme', 'shop'], 'blog');
  await reserve('five', ['acme', 'shop'], 'kept');
  const addresses = ['www', 'kept'].map((name) => ({ domain, name }));
  const holder = { org: 'acme', product: 'shop' };
  await deleteAddressReservations(store, { holder, addresses, except: new Set(['five']) });
  const left = await listAddressReservations(store, domain);
  expect(left.map(({ metadata }) => metadata.name).toSorted()).toEqual(['five', 'four', 'three', 'two']);
});
