import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import {
  releaseNames,
  releaseUnusedNames,
  reserveNames,
  reserveProductNames,
} from '../../src/reconcile/reserve-names.ts';
import type { ProductSpec } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const buildSpec = (...names: string[]): ProductSpec =>
  ({ repos: [], delivery: { zones: names.map((name) => ({ name })) } }) as never;
const shop = { org: 'acme', product: 'shop' };
const other = { org: 'umbrella', product: 'store' };

async function withReservation(holder = shop) {
  const { deps, store } = await createReconcileDeps();
  await reserveProductNames(deps, holder, buildSpec('rc'));
  const find = async (zone: string) =>
    store.find(ConfigMapKind, { namespace: 'service-system', name: zoneReservationName(zone) });
  return { deps, find };
}

it('rejects a name that another Product reserved, without naming that Product', async () => {
  const { deps } = await withReservation();
  const rejection = reserveNames(deps, other, buildSpec('rc'));
  await expect(rejection).rejects.toMatchObject({
    reason: 'name-taken',
    message: expect.not.stringMatching(/shop|acme/) as string,
  });
});

it('reserves a name again for its holder', async () => {
  const { deps } = await withReservation();
  await expect(reserveNames(deps, shop, buildSpec('rc'))).resolves.toBeUndefined();
});

it('replaces a reservation that was abandoned before its Product was created', async () => {
  const { deps, find } = await withReservation();
  const later = { ...deps, now: () => new Date('2027-01-01T00:11:00Z') };
  await reserveNames(later, other, buildSpec('rc'));
  expect(await find('rc')).toMatchObject({ data: other });
});

it('releases the names that the new spec does not use', async () => {
  const { deps, find } = await withReservation();
  await reserveNames(deps, shop, buildSpec('rc', 'prod'));
  await releaseNames(deps, shop, { before: buildSpec('rc', 'prod'), after: buildSpec('prod') });
  expect([await find('rc'), await find('prod')]).toMatchObject([undefined, { data: shop }]);
  await releaseUnusedNames(deps, shop, buildSpec());
  expect(await find('prod')).toBeUndefined();
});
