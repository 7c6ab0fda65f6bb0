import { describe, expect, it } from 'vitest';
import { SloBudgetView, SloSummariesView, SlosView } from '../../../api/slos/schemas.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { buildLatencySlo, buildSlo } from '../../rules/slos/build-slo.ts';
import { startApi } from '../../support/start-api.ts';

const path = '/v1/orgs/acme/products/shop/slos';
const labels = { org: 'acme', product: 'shop', zone: 'shop-prod', slo: 'answered' };
const at = '2026-01-01T00:00:00.000Z';
const sample = (name: string, value: number) => ({ labels: { ...labels, __name__: name }, value });
const samples = [
  sample('service:slo_errors:ratio_1h', 0.0002),
  sample('service:slo_errors:ratio_6h', 0.0003),
  sample('service:slo_errors:ratio_7d', 0.0005),
  sample('service:slo_requests:increase_5m', 600),
];

async function startSloApi(monitoring: Partial<Monitoring>, slos = [buildSlo(), buildLatencySlo()]) {
  const unused = async (): Promise<never> => {
    throw new Error('must not be asked');
  };
  const all: Monitoring = { queryInstant: unused, queryRange: unused, listRules: unused, listAlerts: unused };
  const api = await startApi({ role: 'viewer', monitoring: { ...all, ...monitoring } });
  await api.store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'shop' },
    spec: { repos: [], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] }, slos },
  });
  return api;
}

describe('listSlos', () => {
  it('200: returns each SLO in each zone with its figures, and asks Prometheus once for all readers', async () => {
    const queries: string[] = [];
    const queryInstant = async (query: string) => {
      queries.push(query);
      return samples;
    };
    const { request } = await startSloApi({ queryInstant });
    const responses = await Promise.all([request(path), request(path), request(path)]);
    const { items } = SlosView.parse(await responses[0].json());
    expect(items).toMatchObject([
      { name: 'answered', zone: 'shop-prod', objective: '99.9', window: '7d', state: 'meeting', requestsPerSecond: 2 },
      { name: 'fast', zone: 'shop-prod', state: 'no-traffic', thresholdSeconds: 1 },
    ]);
    expect(items[0]?.attainment).toBeCloseTo(0.9995);
    expect(items[0]?.budgetLeft).toBeCloseTo(0.5);
    expect(items[0]?.burn1h).toBeCloseTo(0.2);
    expect(queries).toEqual([expect.stringContaining('{__name__=~"service:slo_errors:ratio_')]);
    expect(queries[0]?.match(/, org=[^}]*\}/g)).toEqual(Array(2).fill(', org="acme", product="shop"}'));
  });

  it('200: says of each SLO that Prometheus cannot be asked', async () => {
    const queryInstant = async (): Promise<never> => {
      throw new ServiceError('metrics-unavailable', 'Prometheus does not respond.');
    };
    const { request } = await startSloApi({ queryInstant });
    const { items } = SlosView.parse(await (await request(path)).json());
    expect(items).toMatchObject([
      { state: 'unavailable', message: 'Prometheus does not respond.' },
      { state: 'unavailable' },
    ]);
  });

  it('200: does not ask Prometheus about a Product without SLOs', async () => {
    const { request } = await startSloApi({}, []);
    expect(await (await request(path)).json()).toEqual({ items: [], windowMax: '14d' });
  });

  it('200: shows with each SLO only the problems of its own alert rules in its zone', async () => {
    const zones = ['shop-rc', 'shop-prod'];
    const { request, store } = await startSloApi({ queryInstant: async () => [] }, [buildSlo({ zones })]);
    const problems = [
      { name: 'answered', zone: 'shop-rc', message: 'no metric' },
      { name: 'fast', zone: 'shop-prod', message: 'no histogram' },
    ];
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({
      observability: { phase: 'Failed' as const, message: 'Two SLOs cannot alert.', checkedAt: at, slos: problems },
    }));
    const { items } = SlosView.parse(await (await request(path)).json());
    expect(items.map(({ zone, issues }) => ({ zone, issues }))).toEqual([
      { zone: 'shop-rc', issues: ['no metric'] },
      { zone: 'shop-prod', issues: [] },
    ]);
  });

  it('404: says which Product is missing', async () => {
    const { request } = await startSloApi({});
    expect((await request('/v1/orgs/acme/products/none/slos')).status).toBe(404);
  });
});

describe('listSloSummaries', () => {
  const orgPath = '/v1/orgs/acme/slos';

  it('200: counts the objectives of each Product that has some, and asks Prometheus once for all', async () => {
    const queries: string[] = [];
    const queryInstant = async (query: string) => {
      queries.push(query);
      const other = { ...labels, product: 'till', zone: 'till-prod' };
      return [...samples, { labels: { ...other, __name__: 'service:slo_errors:ratio_7d' }, value: 0.02 }];
    };
    const { request, store } = await startSloApi({ queryInstant });
    for (const [name, slos] of [
      ['till', [buildSlo()]],
      ['docs', []],
    ] as const)
      await store.create(ProductKind, {
        metadata: { namespace: 'org-acme', name },
        spec: { repos: [], delivery: { zones: [{ name: `${name}-prod` }] }, slos: [...slos] },
      });
    const responses = await Promise.all([request(orgPath), request(orgPath)]);
    expect(SloSummariesView.parse(await responses[0].json())).toEqual({
      items: [
        { product: 'shop', state: 'no-traffic', met: 1, total: 2 },
        { product: 'till', state: 'spent', met: 0, total: 1 },
      ],
    });
    expect(queries).toHaveLength(1);
    expect(queries[0]?.match(/, org=[^}]*\}/g)).toEqual(Array(2).fill(', org="acme"}'));
  });

  it('200: says that Prometheus cannot be asked', async () => {
    const queryInstant = async (): Promise<never> => {
      throw new ServiceError('metrics-unavailable', 'Prometheus does not respond.');
    };
    const { request } = await startSloApi({ queryInstant });
    expect(await (await request(orgPath)).json()).toEqual({
      items: [{ product: 'shop', state: 'unavailable', met: 0, total: 2 }],
    });
  });

  it('200: does not ask Prometheus about an org without SLOs', async () => {
    const { request } = await startSloApi({}, []);
    expect(await (await request(orgPath)).json()).toEqual({ items: [] });
  });
});

describe('getSloBudget', () => {
  it('200: returns the budget that was left over the window', async () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const queryRange = async () => [{ labels, points: [{ at, value: 0.0004 }] }];
    const { request } = await startSloApi({ queryRange });
    const budget = SloBudgetView.parse(await (await request(`${path}/answered/budget?zone=shop-prod`)).json());
    expect(budget.points).toHaveLength(1);
    expect(budget.points[0]?.budgetLeft).toBeCloseTo(0.6);
  });

  it('404: says which SLO or zone is missing', async () => {
    const { request } = await startSloApi({});
    expect(await (await request(`${path}/none/budget?zone=shop-prod`)).json()).toMatchObject({
      detail: 'No SLO named "none" in Product "shop".',
    });
    expect((await request(`${path}/answered/budget?zone=shop-rc`)).status).toBe(404);
  });

  it('503: says that Prometheus does not respond', async () => {
    const queryRange = async (): Promise<never> => {
      throw new ServiceError('metrics-unavailable', 'Prometheus does not respond.');
    };
    const { request } = await startSloApi({ queryRange });
    expect((await request(`${path}/answered/budget?zone=shop-prod`)).status).toBe(503);
  });
});
