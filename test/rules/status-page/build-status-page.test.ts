import { describe, expect, it } from 'vitest';
import { type ProductSpec, type ProductStatus, ProductKind } from '../../../src/rules/products/kinds.ts';
import type { z } from 'zod';
import { buildStatusPage, incidentsMax, listStatusZones } from '../../../src/rules/status-page/build-status-page.ts';
import { buildResource } from '../build-resource.ts';
import { buildIncident } from './incident-fixture.ts';

const now = new Date('2026-11-24T12:00:00.000Z');
const zone = (name: string, rest = {}) => ({ name, ...rest });
const build = (spec: Partial<ProductSpec> = {}, status: Partial<z.infer<typeof ProductStatus>> = {}) =>
  buildResource(ProductKind, {
    metadata: { name: 'shop' },
    spec: {
      repos: ['acme/secret-repo'],
      description: 'internal words',
      delivery: { zones: [zone('shop-rc'), zone('shop-eu'), zone('shop-prod')] },
      ...spec,
    },
    status: { conditions: [], ...status },
  } as never);
const released = (name: string, rest = {}) => ({
  name,
  release: 'shop-v1',
  address: `https://${name}.example.com`,
  ...rest,
});

describe('the zones of the status page', () => {
  it('are the release zones unless the spec chooses others, in promotion order', () => {
    expect(listStatusZones(build())).toEqual(['shop-prod']);
    const chosen = build({ statusPage: { public: true, zones: ['shop-prod', 'shop-eu', 'gone'] } });
    expect(listStatusZones(chosen)).toEqual(['shop-eu', 'shop-prod']);
  });

  it('leave out one that is being removed', () => {
    const removal = { by: 'jo@example.com', since: now.toISOString(), message: 'm', remaining: [] };
    expect(listStatusZones(build({}, { zones: [{ name: 'shop-prod', removal }] }))).toEqual([]);
  });
});

describe('the status page', () => {
  it('has these fields only, whatever the Product holds', () => {
    const freeze = { reason: 'Jo said so', by: 'jo@example.com', since: now.toISOString() };
    const product = build(
      { displayName: 'The shop', slos: [{ name: 'answers', objective: '99.9', indicator: {} }] },
      { zones: [released('shop-prod', { freeze, failure: { message: 'stack trace' } })] },
    );
    const objectives = [
      { slo: 'answers', zone: 'shop-prod', objective: '99.9', state: 'meeting', attainment: 0.9996 },
    ] as const;
    const page = buildStatusPage({ product, incidents: [], objectives, now });
    expect(page).toEqual({
      org: 'acme',
      product: 'shop',
      title: 'The shop',
      state: 'operational',
      asOf: now.toISOString(),
      zones: [
        {
          name: 'shop-prod',
          address: 'https://shop-prod.example.com',
          state: 'operational',
          objectives: [{ name: 'answers', objective: '99.9', state: 'meeting', attainment: 0.9996 }],
          history: expect.any(Array),
        },
      ],
      incidents: [],
    });
    expect(JSON.stringify(page)).not.toMatch(/secret-repo|internal words|jo@|Jo said|stack/);
  });

  it('shows no day of a zone as operational before a Release runs in it', () => {
    const readStates = (zones: ReturnType<typeof released>[]): string[] => {
      const page = buildStatusPage({ product: build({}, { zones }), incidents: [], objectives: [], now });
      return [...new Set(page.zones[0]?.history.map(({ state }) => state))];
    };
    expect(readStates([])).toEqual(['not-released']);
    expect(readStates([released('shop-prod')])).toContain('operational');
  });

  it('hides the address of a zone that not everyone can open', () => {
    const delivery = { zones: [zone('shop-prod', { access: 'signed-in' })] };
    const page = buildStatusPage({
      product: build({ delivery } as never, { zones: [released('shop-prod')] }),
      incidents: [],
      objectives: [],
      now,
    });
    expect(page.zones[0]).not.toHaveProperty('address');
  });

  it('counts an incident without a zone for each, and none of a hidden zone or another Product', () => {
    const product = build(
      { statusPage: { public: true, zones: ['shop-eu', 'shop-prod'] } },
      { zones: [released('shop-eu'), released('shop-prod')] },
    );
    const incidents = [
      buildIncident({ spec: { severity: 'warning' }, status: { state: 'Acknowledged' } }),
      buildIncident({ spec: { zone: 'shop-prod' } }),
      buildIncident({ spec: { zone: 'shop-rc' } }),
      buildIncident({ spec: { product: 'till' } }),
    ];
    const page = buildStatusPage({ product, incidents, objectives: [], now });
    expect(page.zones.map(({ state }) => state)).toEqual(['degraded', 'down']);
    expect(page.state).toBe('down');
    expect(page.incidents.map(({ zones }) => zones)).toEqual([['shop-eu', 'shop-prod'], ['shop-prod']]);
  });

  it('lists open incidents before those that were resolved in the last 14 days, up to a limit', () => {
    const resolve = (at: string) => ({ state: 'Resolved', openedAt: at, resolvedAt: at }) as const;
    const incidents = [
      buildIncident({ status: resolve('2026-11-01T00:00:00.000Z') }),
      buildIncident({ status: resolve('2026-11-12T00:00:00.000Z') }),
      buildIncident({ status: resolve('2026-11-20T00:00:00.000Z') }),
      buildIncident({ status: { openedAt: '2026-10-01T00:00:00.000Z' } }),
    ];
    const page = buildStatusPage({ product: build(), incidents, objectives: [], now });
    expect(page.incidents.map(({ openedAt }) => openedAt.slice(0, 10))).toEqual([
      '2026-10-01',
      '2026-11-20',
      '2026-11-12',
    ]);
    const many = Array.from({ length: incidentsMax + 9 }, () => buildIncident());
    expect(buildStatusPage({ product: build(), incidents: many, objectives: [], now }).incidents).toHaveLength(
      incidentsMax,
    );
  });
});
