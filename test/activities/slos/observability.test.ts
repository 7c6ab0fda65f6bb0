import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSloActivities } from '../../../activities/slos/slo-activities.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';
import { PrometheusRuleKind } from '../../../src/kinds/prometheus-operator.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const org = 'acme';
const namespace = 'org-acme';
const hourMs = 60 * 60_000;
/** The timeout of the activity, and that of one request to Prometheus, which reads the rules before. */
const [timeoutMs, requestMs] = [60_000, 10_000];
const startMs = Date.parse('2026-01-01T00:00:00Z');

async function createHarness({
  monitoring = {} as Partial<Monitoring>,
  metricsLabels = {},
  finalizers = [] as string[],
} = {}) {
  const store = openTestStore();
  const clock = { ms: startMs };
  const queries: string[] = [];
  const activities = createSloActivities({
    store,
    monitoring: {
      queryInstant: async (query) => {
        queries.push(query);
        return [{ labels: { code: '200' }, value: 1 }];
      },
      queryRange: async () => [],
      listAlerts: async () => [],
      listRules: async () => [],
      ...monitoring,
    },
    metricsRetentionMs: defaultRetentionMs,
    metricsLabels,
    now: () => new Date(clock.ms),
  });
  const addProduct = async (name: string, slos = [buildSlo()]) =>
    await store.create(ProductKind, {
      metadata: { namespace, name, finalizers },
      spec: { repos: [], delivery: { zones: [{ name: `${name}-prod` }] }, slos },
    });
  const readProduct = async (name: string) => await store.get(ProductKind, { namespace, name });
  const readRule = async (name: string) => await store.get(PrometheusRuleKind, { namespace, name });
  return { store, clock, queries, activities, addProduct, readProduct, readRule };
}

describe('applySloRules', () => {
  it('adds no labels where Prometheus needs none, and keeps those of others', async () => {
    const { store, activities, addProduct, readRule } = await createHarness();
    await addProduct('shop');
    await activities.applySloRules({ org });
    const rule = await readRule('service-slo-shop');
    expect(rule.metadata.labels).toBeUndefined();
    const labels = { tool: 'adds-labels' };
    await store.replace(PrometheusRuleKind, { ...rule, metadata: { ...rule.metadata, labels }, spec: { groups: [] } });
    await activities.applySloRules({ org });
    const repaired = await readRule('service-slo-shop');
    expect(repaired.metadata.labels).toEqual(labels);
    expect(repaired.spec).toEqual(rule.spec);
    await activities.applySloRules({ org });
    expect((await readRule('service-slo-shop')).metadata.resourceVersion).toBe(repaired.metadata.resourceVersion);
  });

  it('counts the SLOs of all Products, without those that are being deleted', async () => {
    const { store, activities, addProduct } = await createHarness({ finalizers: ['test/keep'] });
    await addProduct('shop', [buildSlo({ name: 'one' }), buildSlo({ name: 'two' })]);
    await addProduct('bakery');
    expect(await activities.applySloRules({ org })).toEqual({ slos: 3, hasOperator: true });
    await store.delete(ProductKind, { namespace, name: 'shop' });
    expect(await activities.applySloRules({ org })).toEqual({ slos: 1, hasOperator: true });
    const names = (await store.list(PrometheusRuleKind, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['service-slo-bakery']);
  });
});

describe('checkSloRules', () => {
  it('asks nothing for an org without SLOs', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('It was asked.');
    };
    const { activities, addProduct, readProduct } = await createHarness({ monitoring: { listRules: fail } });
    await addProduct('shop', []);
    expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: true });
    expect((await readProduct('shop')).status).toBeUndefined();
  });

  it('is settled once the rules of all Products are loaded', async () => {
    const { activities, addProduct, readProduct } = await createHarness();
    await addProduct('shop');
    await addProduct('quiet', []);
    expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: false });
    expect((await readProduct('shop')).status?.observability).toEqual({
      phase: 'Pending',
      message: expect.any(String),
      checkedAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await readProduct('quiet')).status).toBeUndefined();
  });

  it.each([
    [hourMs - 1, '2026-01-01T00:00:00.000Z'],
    [hourMs, '2026-01-01T01:00:00.000Z'],
  ])('writes an unchanged state again after an hour only: %i ms', async (passedMs, checkedAt) => {
    const { activities, addProduct, readProduct, clock } = await createHarness();
    await addProduct('shop');
    await activities.checkSloRules({ org, hasOperator: true });
    clock.ms += passedMs;
    await activities.checkSloRules({ org, hasOperator: true });
    expect((await readProduct('shop')).status?.observability?.checkedAt).toBe(checkedAt);
  });

  it('keeps the rest of the status, and asks for no series without an operator', async () => {
    const { store, activities, addProduct, readProduct, queries } = await createHarness();
    await addProduct('shop');
    const zones = [{ name: 'shop-prod', release: 'r1', version: 'v1.0.0' }];
    await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ zones }));
    await activities.checkSloRules({ org, hasOperator: false });
    expect(queries).toEqual([]);
    expect((await readProduct('shop')).status).toMatchObject({ zones, observability: { phase: 'Unavailable' } });
    await activities.checkSloRules({ org, hasOperator: true });
    expect(queries).toHaveLength(1);
  });

  it.each(['listRules', 'queryInstant'] as const)('fails when %s fails in a way that a retry may fix', async (name) => {
    const fail = async (): Promise<never> => {
      throw new ServiceError('invalid', 'A fault');
    };
    const { activities, addProduct } = await createHarness({ monitoring: { [name]: fail } });
    await addProduct('shop');
    await expect(activities.checkSloRules({ org, hasOperator: true })).rejects.toThrow('A fault');
  });

  it('ends within its timeout however slowly Prometheus answers, and tells what it has found until then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const queryInstant = async () => {
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      return [];
    };
    const { activities, addProduct, readProduct } = await createHarness({ monitoring: { queryInstant } });
    const slos = Array.from({ length: 20 }, (_, index) => buildSlo({ name: `slo-${index}` }));
    for (const name of ['a', 'b', 'c']) await addProduct(name, slos);
    let hasEnded = false;
    const check = activities.checkSloRules({ org, hasOperator: true }).finally(() => (hasEnded = true));
    const startedAt = performance.now();
    while (!hasEnded) await vi.advanceTimersByTimeAsync(1_000);
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs - requestMs);
    expect(await check).toEqual({ isSettled: false });
    const readIssues = async (name: string) => (await readProduct(name)).status?.observability?.slos?.length;
    expect(await readIssues('a')).toBe(20);
    expect((await readProduct('c')).status?.observability).toMatchObject({ phase: 'Pending' });
    expect(await readIssues('c')).toBeUndefined();
  });
});
