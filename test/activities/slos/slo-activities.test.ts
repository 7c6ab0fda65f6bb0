import { expect, it } from 'vitest';
import { createSloActivities } from '../../../activities/slos/slo-activities.ts';
import { invalid, notFound, ServiceError } from '../../../src/errors.ts';
import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';
import { PrometheusRuleKind } from '../../../src/kinds/prometheus-operator.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { SloSpec } from '../../../src/rules/slos/kinds.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import type { Store } from '../../../src/store/store.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';

const namespace = 'org-acme';
const org = 'acme';

/** A Prometheus that has loaded what the store has, and every metric. */
const loadingMonitoring = (store: Store): Monitoring => ({
  queryInstant: async () => [{ labels: { code: '200' }, value: 1 }],
  queryRange: async () => [],
  listAlerts: async () => [],
  listRules: async () => {
    const { items } = await store.list(PrometheusRuleKind, { namespace });
    return items.flatMap(({ spec }) =>
      (spec.groups ?? []).map(({ name, rules }) => ({
        name,
        file: 'rules.yml',
        intervalSeconds: 30,
        rules: rules.map((rule) => ({
          kind: 'alert' in rule ? ('alerting' as const) : ('recording' as const),
          name: 'alert' in rule ? rule.alert : rule.record,
          query: String(rule.expr),
          labels: rule.labels ?? {},
          health: 'ok' as const,
        })),
      })),
    );
  },
});

async function createHarness({
  wrap = (store: Store) => store,
  monitoring,
  metricsLabels = {},
  store = openTestStore(),
}: {
  wrap?: (store: Store) => Store;
  monitoring?: Partial<Monitoring>;
  metricsLabels?: Record<string, string>;
  store?: Store;
} = {}) {
  const writes: string[] = [];
  const counted: Store = {
    ...store,
    create: async (kind, object) => {
      writes.push(`create ${object.metadata.name}`);
      return await store.create(kind, object);
    },
    replace: async (kind, object) => {
      writes.push(`replace ${object.metadata.name}`);
      return await store.replace(kind, object);
    },
    delete: async (kind, ref, options) => {
      writes.push(`delete ${ref.name}`);
      await store.delete(kind, ref, options);
    },
  };
  const activities = createSloActivities({
    store: wrap(counted),
    monitoring: { ...loadingMonitoring(store), ...monitoring },
    metricsRetentionMs: defaultRetentionMs,
    metricsLabels,
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  const addProduct = async (name: string, slos?: SloSpec[], zones = [`${name}-prod`]) =>
    await store.create(ProductKind, {
      metadata: { namespace, name },
      spec: { repos: [], delivery: { zones: zones.map((zone) => ({ name: zone })) }, ...(slos && { slos }) },
    });
  const readStatus = async (name: string) => (await store.get(ProductKind, { namespace, name })).status?.observability;
  return { store, writes, activities, addProduct, readStatus };
}

it('writes one object per Product with SLOs, and nothing when nothing changed', async () => {
  const { store, writes, activities, addProduct } = await createHarness();
  await addProduct('shop', [buildSlo()]);
  await addProduct('quiet');
  expect(await activities.applySloRules({ org })).toEqual({ slos: 1, hasOperator: true });
  await activities.applySloRules({ org });
  expect(writes).toEqual(['create service-slo-shop']);
  const { metadata } = await store.get(PrometheusRuleKind, { namespace, name: 'service-slo-shop' });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'Product', name: 'shop' }]);
});

it('deletes the rules of a Product as soon as its deletion is requested: its pods go before it does', async () => {
  const { store, writes, activities, addProduct } = await createHarness();
  await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ deletionMessage: 'Requested.' }));
  expect(await activities.applySloRules({ org })).toEqual({ slos: 0, hasOperator: true });
  expect(writes).toEqual(['create service-slo-shop', 'delete service-slo-shop']);
});

it('writes no rules of a rejected Product, and keeps those of its last accepted SLOs', async () => {
  const { store, writes, activities, addProduct, readStatus } = await createHarness();
  const reject = async (name: string) =>
    await store.updateStatus(ProductKind, { namespace, name }, ({ metadata, status }) => ({
      ...status,
      conditions: withAcceptedCondition([], {
        rejection: 'The zone is taken.',
        generation: metadata.generation,
        at: '2026-01-01T00:00:00Z',
      }),
    }));
  const shop = await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  await store.replace(ProductKind, { ...shop, spec: { ...shop.spec, slos: [buildSlo({ objective: '98' })] } });
  await reject('shop');
  // The name and the zone are those of another Product.
  await addProduct('shop.2', [buildSlo({ zones: ['other-prod'] })], ['other-prod']);
  await reject('shop.2');
  await activities.applySloRules({ org });
  expect(writes).toEqual(['create service-slo-shop']);
  expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: true });
  expect(await readStatus('shop')).toBeUndefined();
});

it('writes only the rules of the Products that changed', async () => {
  const { store, writes, activities, addProduct } = await createHarness();
  for (let index = 0; index < 100; index += 1) await addProduct(`p${index}`, [buildSlo()]);
  await activities.applySloRules({ org });
  writes.length = 0;
  const product = await store.get(ProductKind, { namespace, name: 'p7' });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo({ objective: '99' })] } });
  await activities.applySloRules({ org });
  expect(writes).toEqual(['replace service-slo-p7']);
});

it('puts the labels on the rules by which Prometheus selects them, also when the setting changes', async () => {
  const { store, activities, addProduct } = await createHarness({ metricsLabels: { release: 'prometheus' } });
  const readLabels = async () =>
    (await store.get(PrometheusRuleKind, { namespace, name: 'service-slo-shop' })).metadata.labels;
  await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  expect(await readLabels()).toEqual({ release: 'prometheus' });
  const changed = await createHarness({ store, metricsLabels: { release: 'metrics', team: 'a' } });
  await changed.activities.applySloRules({ org });
  await changed.activities.applySloRules({ org });
  expect(changed.writes).toEqual(['replace service-slo-shop']);
  expect(await readLabels()).toEqual({ release: 'metrics', team: 'a' });
});

it('writes several objects for many SLOs, and deletes those that fewer do not need', async () => {
  const { store, writes, activities, addProduct } = await createHarness();
  const filter = `path="${'x'.repeat(490)}"`;
  const slos = Array.from({ length: 20 }, (_, index) =>
    buildSlo({
      name: `slo-${index}`,
      indicator: { availability: { metric: 'm'.repeat(200), filter, errors: filter } },
    }),
  );
  const zones = ['shop-a', 'shop-b'];
  const product = await addProduct(
    'shop',
    slos.map((slo) => ({ ...slo, zones })),
    zones,
  );
  await activities.applySloRules({ org });
  await activities.applySloRules({ org });
  expect(writes).toEqual(['create service-slo-shop', 'create service-slo-shop.2']);
  writes.length = 0;
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo({ zones })] } });
  await activities.applySloRules({ org });
  expect(writes).toEqual(['replace service-slo-shop', 'delete service-slo-shop.2']);
});

it('deletes the rules of a Product without SLOs, and leaves the rules of others alone', async () => {
  const { store, writes, activities, addProduct, readStatus } = await createHarness();
  const product = await addProduct('shop', [buildSlo()]);
  await store.create(PrometheusRuleKind, { metadata: { namespace, name: 'by-hand' }, spec: { groups: [] } });
  await activities.applySloRules({ org });
  await activities.checkSloRules({ org, hasOperator: true });
  const { slos: _slos, ...spec } = product.spec;
  await store.replace(ProductKind, { ...(await store.get(ProductKind, { namespace, name: 'shop' })), spec });
  expect(await activities.applySloRules({ org })).toEqual({ slos: 0, hasOperator: true });
  expect(writes).toEqual(['create service-slo-shop', 'delete service-slo-shop']);
  expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: true });
  expect(await readStatus('shop')).toMatchObject({ phase: 'NoObjectives' });
});

/** Changes an objective, and then another tool writes the rule after each of the next reads. */
async function changeWithOthers(times: number) {
  let others = 0;
  const { store, activities, addProduct, readStatus } = await createHarness({
    wrap: (inner) => ({
      ...inner,
      list: async (kind, options) => {
        const page = await inner.list(kind, options);
        if ((kind as object) !== PrometheusRuleKind || others === 0) return page;
        others -= 1;
        const rule = await read();
        const labels = { checked: String(others) };
        await store.replace(PrometheusRuleKind, { ...rule, metadata: { ...rule.metadata, labels } });
        return page;
      },
    }),
  });
  const read = async () => await store.get(PrometheusRuleKind, { namespace, name: 'service-slo-shop' });
  const product = await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo({ objective: '99' })] } });
  others = times;
  return { before: await read(), read, readStatus, apply: async () => await activities.applySloRules({ org }) };
}

it.each([1, 4])('writes the rules again that another tool has written meanwhile, %i times in a row', async (times) => {
  const { before, read, apply } = await changeWithOthers(times);
  expect(await apply()).toEqual({ slos: 1, hasOperator: true });
  expect((await read()).spec).not.toEqual(before.spec);
});

it('gives up on a rule that another tool writes each time, and says so', async () => {
  const { before, read, readStatus, apply } = await changeWithOthers(5);
  expect(await apply()).toEqual({ slos: 1, hasOperator: true });
  expect((await read()).spec).toEqual(before.spec);
  expect(await readStatus('shop')).toMatchObject({ phase: 'Failed', message: expect.stringContaining('changed') });
});

it('writes the rules again that a person deletes between the list and the write', async () => {
  let isDeleting = false;
  const { store, activities, addProduct } = await createHarness({
    wrap: (inner) => ({
      ...inner,
      replace: async (kind, object) => {
        if (isDeleting) await inner.delete(PrometheusRuleKind, object.metadata);
        isDeleting = false;
        return await inner.replace(kind, object);
      },
    }),
  });
  const product = await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, slos: [buildSlo({ objective: '99' })] } });
  isDeleting = true;
  expect(await activities.applySloRules({ org })).toEqual({ slos: 1, hasOperator: true });
  expect((await store.list(PrometheusRuleKind, { namespace })).items).toHaveLength(1);
});

it('writes the rules of the other Products when those of one are refused, and says why until they are written', async () => {
  let isRefusing = false;
  const refuse = (rule: { metadata: { name: string } }): void => {
    if (isRefusing && rule.metadata.name === 'service-slo-bakery')
      throw invalid('The PrometheusRule was rejected by the API server: Rules are not valid.');
  };
  const { store, activities, addProduct, readStatus } = await createHarness({
    wrap: (inner) => ({
      ...inner,
      create: async (kind, object) => (refuse(object), await inner.create(kind, object)),
      replace: async (kind, object) => (refuse(object), await inner.replace(kind, object)),
    }),
  });
  const readRule = async (name: string) => await store.get(PrometheusRuleKind, { namespace, name });
  const check = async (): Promise<unknown> => {
    const { hasOperator } = await activities.applySloRules({ org });
    return await activities.checkSloRules({ org, hasOperator });
  };
  const bakery = await addProduct('bakery', [buildSlo()]);
  await check();
  const { spec: before } = await readRule('service-slo-bakery');
  await store.replace(ProductKind, {
    ...(await store.get(ProductKind, bakery.metadata)),
    spec: { ...bakery.spec, slos: [buildSlo({ objective: '99' })] },
  });
  await addProduct('shop', [buildSlo()]);
  isRefusing = true;
  expect(await check()).toEqual({ isSettled: true });
  expect((await readRule('service-slo-bakery')).spec).toEqual(before);
  expect(await readStatus('bakery')).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('Rules are not valid.'),
  });
  expect(await readStatus('shop')).toMatchObject({ phase: 'Ready' });
  isRefusing = false;
  await check();
  expect((await readRule('service-slo-bakery')).spec).not.toEqual(before);
  expect(await readStatus('bakery')).toMatchObject({ phase: 'Ready' });
});

it('says that the rules of a Product without SLOs could not be deleted, and keeps the loop until they are', async () => {
  let isRefusing = true;
  const { activities, addProduct, readStatus, store } = await createHarness({
    wrap: (inner) => ({
      ...inner,
      delete: async (kind, ref, options) => {
        if (isRefusing) throw new ServiceError('cluster-access-denied', 'A policy protects it.');
        await inner.delete(kind, ref, options);
      },
    }),
  });
  const { metadata } = await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  const { slos: _, ...spec } = (await store.get(ProductKind, metadata)).spec;
  await store.replace(ProductKind, { ...(await store.get(ProductKind, metadata)), spec });
  expect(await activities.applySloRules({ org })).toEqual({ slos: 1, hasOperator: true });
  const check = async () => await activities.checkSloRules({ org, hasOperator: true });
  await check();
  const refused = { phase: 'Failed', message: expect.stringContaining('A policy protects it.') };
  expect(await readStatus('shop')).toMatchObject(refused);
  isRefusing = false;
  expect(await activities.applySloRules({ org })).toEqual({ slos: 0, hasOperator: true });
  await check();
  expect(await readStatus('shop')).toMatchObject({ phase: 'NoObjectives' });
});

it('says that a cluster without the operator has no alerts', async () => {
  const { activities, addProduct, readStatus } = await createHarness({
    wrap: (store) => ({
      ...store,
      list: async (kind, options) => {
        if (kind.kind === 'PrometheusRule') throw notFound('kind', 'PrometheusRule', 'the cluster');
        return await store.list(kind, options);
      },
    }),
  });
  await addProduct('shop', [buildSlo()]);
  expect(await activities.applySloRules({ org })).toEqual({ slos: 1, hasOperator: false });
  expect(await activities.checkSloRules({ org, hasOperator: false })).toEqual({ isSettled: true });
  expect(await readStatus('shop')).toMatchObject({
    phase: 'Unavailable',
    message: expect.stringContaining('Install the Prometheus operator'),
  });
});

it('says so when Prometheus cannot be reached', async () => {
  const unavailable = async (): Promise<never> => {
    throw new ServiceError('metrics-unavailable', 'Prometheus does not respond.');
  };
  const { activities, addProduct, readStatus } = await createHarness({
    monitoring: { listRules: unavailable, queryInstant: unavailable },
  });
  await addProduct('shop', [buildSlo({ objective: '80' })]);
  await activities.applySloRules({ org });
  await activities.checkSloRules({ org, hasOperator: true });
  expect(await readStatus('shop')).toMatchObject({
    phase: 'Unavailable',
    message: expect.stringContaining('Prometheus does not respond.'),
    slos: [{ name: 'answered', zone: 'shop-prod', message: expect.stringContaining('can never fire') }],
  });
});

it('records that Prometheus evaluates the rules, once', async () => {
  const { store, activities, addProduct, readStatus } = await createHarness();
  await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: true });
  expect(await readStatus('shop')).toMatchObject({ phase: 'Ready', checkedAt: '2026-01-01T00:00:00.000Z' });
  const before = await store.get(ProductKind, { namespace, name: 'shop' });
  await activities.checkSloRules({ org, hasOperator: true });
  expect(await store.get(ProductKind, { namespace, name: 'shop' })).toEqual(before);
});

it('waits while Prometheus has not loaded the rules, and reports a metric that is absent', async () => {
  const { activities, addProduct, readStatus } = await createHarness({
    monitoring: { listRules: async () => [], queryInstant: async () => [] },
  });
  await addProduct('shop', [buildSlo()]);
  await activities.applySloRules({ org });
  expect(await activities.checkSloRules({ org, hasOperator: true })).toEqual({ isSettled: false });
  expect(await readStatus('shop')).toMatchObject({
    phase: 'Pending',
    slos: [{ name: 'answered', zone: 'shop-prod', message: expect.stringContaining('no series') }],
  });
});

it('writes and deletes nothing until a restore is complete', async () => {
  const { store, writes, activities, addProduct, readStatus } = await createHarness();
  await addProduct('shop', [buildSlo()]);
  const { hasOperator } = await activities.applySloRules({ org });
  const check = async (): Promise<unknown> => {
    await activities.applySloRules({ org });
    return await activities.checkSloRules({ org, hasOperator });
  };
  // The restore will create the Product again: without its rules, the alerts that fire would end.
  await store.delete(ProductKind, { namespace, name: 'shop' });
  await store.create(PrometheusRuleKind, { metadata: { namespace, name: 'service-slo-shop' }, spec: { groups: [] } });
  writes.length = 0;
  await setRestorePhase(store, 'Restoring');
  await expect(check()).rejects.toThrow('"restore-1" is in progress');
  await addProduct('shop', [buildSlo()]);
  await setRestorePhase(store, 'Restarting');
  await expect(check()).rejects.toThrow('"restore-1" is in progress');
  // A status from now would take the place of the one in the archive.
  await expect(activities.checkSloRules({ org, hasOperator })).rejects.toThrow('"restore-1" is in progress');
  expect(writes).toEqual([]);
  expect(await readStatus('shop')).toBeUndefined();
  await setRestorePhase(store, 'Succeeded');
  expect(await check()).toEqual({ isSettled: true });
  expect(writes).toEqual(['replace service-slo-shop']);
});
