import { expect, it } from 'vitest';
import { createDoraIndex } from '../../../api/dora/dora-index.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import * as data from '../../rules/dora/hand-computed.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createResource, seedHandComputed } from './seed-hand-computed.ts';

async function openIndex() {
  const store = openTestStore();
  await seedHandComputed(store);
  const shutdown = new AbortController();
  const records = await createDoraIndex({ store, shutdownSignal: shutdown.signal }).read('org-acme');
  return { store, shutdown, records };
}

it('counts all records, and derives events again only after a change of the Product or of its release zones', async () => {
  const { store, shutdown, records } = await openIndex();
  const sizes = [data.promotions, data.releases, data.runs.filter(({ status }) => status.mergedAt), data.incidents];
  expect(records.size).toBe(sizes.reduce((sum, { length }) => sum + length, 0));
  const first = records.listEvents('shop', ['prod']);
  expect(first.deployments.length).toBeGreaterThan(20);
  expect(records.listEvents('shop', ['prod'])).toBe(first);
  expect(records.listEvents('none', ['prod'])).toEqual({
    deployments: [],
    firstDeployments: [],
    leadTimes: [],
    restores: [],
  });
  expect(records.listEvents('shop', []).deployments).toEqual([]);

  const again = records.listEvents('shop', ['prod']);
  const other = records.listEvents('none', ['prod']);
  const promotion = data.promotions.find(({ spec, status }) => spec.zone === 'prod' && status.healthyAt);
  if (!promotion) throw new Error('The data has no healthy Promotion.');
  await createResource(store, PromotionKind, { ...promotion, name: 'another' });
  await expect.poll(() => records.listEvents('shop', ['prod']).deployments.length).toBe(again.deployments.length + 1);
  expect(records.listEvents('none', ['prod'])).toBe(other);
  shutdown.abort();
});
