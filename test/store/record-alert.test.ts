import { describe, expect, it } from 'vitest';
import type { AlertEpisode } from '../../src/rules/incidents/alert-episode.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { createIncident, recordAlert } from '../../src/store/record-alert.ts';
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

describe('an alert', () => {
  it('is about a Product and a zone that exist, or existed when it began', async () => {
    const { store, readState } = await createHarness();
    expect(await recordAlert(store, { ...firing, product: 'gone' })).toBe('unknown-product');
    const { metadata, spec, ...shop } = await store.get(ProductKind, { namespace, name: 'shop' });
    const delivery = { zones: [{ name: 'shop-prod' }] };
    await store.replace(ProductKind, { ...shop, metadata, spec: { ...spec, delivery } });
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: [{ name: 'shop-old' }] }));
    expect(await recordAlert(store, { ...firing, zone: 'shop-none' })).toBe('unknown-zone');
    expect(await readState()).toEqual([]);
    expect(await recordAlert(store, { ...firing, zone: 'shop-prod' })).toBe('recorded');
    expect(await recordAlert(store, { ...firing, zone: 'shop-old', fingerprint: 'aa' })).toBe('recorded');
  });

  it('opens an incident with what it says', async () => {
    const { store } = await createHarness();
    await recordAlert(store, { ...firing, text: 'The budget burns.', slo: 'answered', ruleUrl: 'http://rule.test/' });
    const [incident] = (await store.list(IncidentKind, { namespace })).items;
    expect(incident).toMatchObject({
      metadata: { annotations: { 'service.delivery/accepted-generation': '1' } },
      spec: {
        product: 'shop',
        severity: 'critical',
        title: 'It burns',
        text: 'The budget burns.',
        openedBy: 'alert',
        alert: {
          name: firing.name,
          fingerprint: firing.fingerprint,
          startsAt: firing.startsAt,
          slo: 'answered',
          ruleUrl: 'http://rule.test/',
        },
      },
      status: { state: 'Open', openedAt: firing.startsAt },
    });
    expect(incident?.spec).not.toHaveProperty('zone');
    expect(incident?.status).not.toHaveProperty('promotion');
  });

  it('opens an incident that goes with its Product, so that a later one of the name starts without it', async () => {
    const { store, readState } = await createHarness();
    await recordAlert(store, firing);
    expect(await readState()).toEqual(['Open']);
    await store.delete(ProductKind, { namespace, name: 'shop' });
    expect(await readState()).toEqual([]);
  });

  it('that ended before it was seen opens none', async () => {
    const { store, readState } = await createHarness();
    expect(await recordAlert(store, ended)).toBe('unchanged');
    expect(await readState()).toEqual([]);
  });

  it('ends the incident of a zone that was removed since', async () => {
    const { store, readState } = await createHarness();
    const shop = await store.get(ProductKind, { namespace, name: 'shop' });
    await store.updateStatus(ProductKind, shop.metadata, () => ({ zones: [{ name: 'shop-old' }] }));
    await recordAlert(store, { ...firing, zone: 'shop-old' });
    await store.updateStatus(ProductKind, shop.metadata, () => ({ zones: [] }));
    expect(await recordAlert(store, { ...firing, zone: 'shop-old' })).toBe('unknown-zone');
    expect(await recordAlert(store, { ...ended, zone: 'shop-old' })).toBe('recorded');
    expect(await readState()).toEqual(['Resolved']);
  });

  it('that is sent again completes an incident whose creation was interrupted', async () => {
    const { store } = await createHarness();
    const zone = 'shop-prod';
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones: [{ name: zone }] }));
    const spec = { product: 'shop', zone, release: 'shop-v1.0.0', version: 'v1.0.0', commit: 'c1' };
    const promotion = { ...spec, trigger: 'release' as const, startedBy: 'ada@example.com' };
    await store.create(PromotionKind, { metadata: { namespace, name: 'p1' }, spec: promotion });
    const healthyAt = '2026-11-24T11:00:00.000Z';
    await store.updateStatus(PromotionKind, { namespace, name: 'p1' }, () => ({
      phase: 'Verified' as const,
      healthyAt,
      phases: [],
    }));
    const opened = { product: 'shop', zone, severity: 'critical', title: 'It burns', openedBy: 'alert' } as const;
    const { name, fingerprint, startsAt } = firing;
    await store.create(IncidentKind, {
      metadata: { namespace, name: 'interrupted' },
      spec: { ...opened, alert: { name, fingerprint, startsAt } },
    });
    await recordAlert(store, { ...firing, zone });
    const [incident, ...others] = (await store.list(IncidentKind, { namespace })).items;
    expect(incident?.status).toMatchObject({ state: 'Open', promotion: { name: 'p1', healthyAt } });
    expect(others).toEqual([]);
  });

  it('that comes back later is another incident, and the end concerns the newest', async () => {
    const { store, readState } = await createHarness();
    await recordAlert(store, firing);
    await recordAlert(store, ended);
    const days = (count: number) => new Date(Date.parse(firing.startsAt) + count * 24 * 60 * 60_000).toISOString();
    expect(await recordAlert(store, { ...firing, startsAt: days(30) })).toBe('recorded');
    expect((await readState()).toSorted()).toEqual(['Open', 'Resolved']);
    expect(await recordAlert(store, { ...firing, startsAt: days(30), endsAt: days(31) })).toBe('recorded');
    expect(await readState()).toEqual(['Resolved', 'Resolved']);
    expect(await recordAlert(store, { ...firing, startsAt: days(30), endsAt: days(31) })).toBe('unchanged');
  });
});

describe('createIncident', () => {
  const metadata = { namespace, name: 'incident-1' };
  const spec = { product: 'shop', severity: 'critical', title: 'It burns', openedBy: 'ada' } as const;

  it('completes an incident without a status, and leaves one that has one', async () => {
    const { store } = await createHarness();
    await store.create(IncidentKind, { metadata, spec });
    const opening = { metadata, spec, at: firing.startsAt };
    expect(await createIncident(store, opening)).toMatchObject({
      isNew: false,
      incident: { status: { state: 'Open' } },
    });
    const later = { ...opening, at: '2026-11-25T12:00:00.000Z' };
    expect(await createIncident(store, later)).toMatchObject({
      isNew: false,
      incident: { status: { openedAt: firing.startsAt } },
    });
  });

  it('throws every error but a conflict', async () => {
    const { store } = await createHarness();
    const opening = { metadata: { namespace, name: 'Not a name' }, spec, at: firing.startsAt };
    await expect(createIncident(store, opening)).rejects.toMatchObject({ code: 'invalid' });
  });
});
