import { expect, it } from 'vitest';
import type { AlertEpisode } from '../../src/rules/incidents/alert-episode.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { recordAlert } from '../../src/store/record-alert.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore } from '../support/open-test-store.ts';

const namespace = 'org-acme';
const firing: AlertEpisode = {
  org: 'acme',
  product: 'shop',
  severity: 'critical',
  title: 'It burns',
  name: 'ServiceFastBurn',
  fingerprint: 'b1946ac92f6e4a3c',
  startsAt: '2026-11-24T12:00:00.000Z',
};
const ended = { ...firing, endsAt: '2026-11-24T12:05:00.000Z' };

/** A store that lists incidents as they were before the last write, as a cache may. */
async function createHarness() {
  const inner = openTestStore();
  let lagging: unknown;
  let updates = 0;
  const store: Store = {
    ...inner,
    list: async (kind, options) =>
      (kind as object) === IncidentKind && lagging ? (lagging as never) : await inner.list(kind, options),
    updateStatus: async (kind, ref, change) => {
      updates += 1;
      return await inner.updateStatus(kind, ref, change);
    },
  };
  await inner.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: [], delivery: { zones: [] } },
  });
  return {
    store,
    countUpdates: () => updates,
    lag: async () => void (lagging = await inner.list(IncidentKind, { namespace })),
    readState: async () => (await inner.list(IncidentKind, { namespace })).items.map(({ status }) => status?.state),
  };
}

it('does not open the incident for writing when an alert that fires is repeated', async () => {
  const { store, countUpdates } = await createHarness();
  expect(await recordAlert(store, firing)).toBe('recorded');
  const before = countUpdates();
  expect(await recordAlert(store, firing)).toBe('unchanged');
  expect(countUpdates()).toBe(before);
});

it('records the end of an episode that the cache does not know yet', async () => {
  const { store, lag, readState } = await createHarness();
  await recordAlert(store, firing);
  await recordAlert(store, ended);
  await lag();
  const again = { startsAt: '2026-11-24T12:08:00.000Z', endsAt: '2026-11-24T12:09:00.000Z' };
  expect(await recordAlert(store, { ...firing, startsAt: again.startsAt })).toBe('recorded');
  expect(await readState()).toEqual(['Open']);
  expect(await recordAlert(store, { ...firing, ...again })).toBe('recorded');
  expect(await readState()).toEqual(['Resolved']);
});
