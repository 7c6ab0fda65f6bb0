import { expect, it } from 'vitest';
import { listSloRules, writeSloRules } from '../../../activities/slos/write-slo-rules.ts';
import { ServiceError } from '../../../src/errors.ts';
import { PrometheusRuleKind } from '../../../src/kinds/prometheus-operator.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import { defaultRetentionMs } from '../../../src/rules/slos/slo-window.ts';
import type { Store } from '../../../src/store/store.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const org = 'acme';
const namespace = 'org-acme';

async function createProducts(names: string[]) {
  const store = openTestStore();
  const products = await Promise.all(
    names.map(
      async (name) =>
        await store.create(ProductKind, {
          metadata: { namespace, name },
          spec: { repos: [], delivery: { zones: [{ name: `${name}-prod` }] }, slos: [buildSlo()] },
        }),
    ),
  );
  const write = async (through: Partial<Store> = {}) =>
    await writeSloRules(
      { store: { ...store, ...through }, metricsRetentionMs: defaultRetentionMs, metricsLabels: {} },
      org,
      products,
    );
  return { store, products, write };
}

const refusals = ['invalid', 'too-large', 'cluster-access-denied'] as const;

it.each(refusals)('returns the Product whose rules are refused as %s', async (reason) => {
  const { store, products, write } = await createProducts(['bakery', 'shop']);
  const create: Store['create'] = async (kind, object) => {
    if (object.metadata.name === 'service-slo-bakery') throw new ServiceError(reason, 'Not these rules.');
    return await store.create(kind, object);
  };
  expect(await write({ create })).toEqual([{ product: products[0], reason: 'Not these rules.' }]);
  expect([...(await listSloRules(store, org)).keys()]).toEqual(['service-slo-shop']);
});

it('goes on when surplus rules may not be deleted, and returns them', async () => {
  const { store, products, write } = await createProducts(['bakery', 'shop']);
  await write();
  const others = ['service-slo-bakery-more', 'service-slo-gone', 'service-slo-old'];
  for (const name of others) {
    const ownerReferences = products[0] && name.includes('bakery') ? [ownerReference(products[0])] : [];
    await store.create(PrometheusRuleKind, { metadata: { namespace, name, ownerReferences }, spec: { groups: [] } });
  }
  const remove: Store['delete'] = async (kind, ref) => {
    if (ref.name !== 'service-slo-old') throw new ServiceError('cluster-access-denied', `Not ${ref.name}.`);
    await store.delete(kind, ref);
  };
  expect(await write({ delete: remove })).toEqual([
    { product: products[0], reason: 'Not service-slo-bakery-more.' },
    { product: undefined, reason: 'Not service-slo-gone.' },
  ]);
  expect((await listSloRules(store, org)).has('service-slo-old')).toBe(false);
  const away = async (): Promise<never> => {
    throw new ServiceError('cluster-unavailable', 'Not now.');
  };
  await expect(write({ delete: away })).rejects.toThrow('Not now.');
});

it('fails when the API server cannot be reached, so that a retry writes the rules', async () => {
  const { write } = await createProducts(['shop']);
  const create = async (): Promise<never> => {
    throw new ServiceError('cluster-unavailable', 'Not now.');
  };
  await expect(write({ create })).rejects.toThrow('Not now.');
});

it('lists the rules of the service only', async () => {
  const { store, write } = await createProducts(['shop']);
  await store.create(PrometheusRuleKind, { metadata: { namespace, name: 'by-hand' }, spec: { groups: [] } });
  expect(await write()).toEqual([]);
  expect([...(await listSloRules(store, org)).keys()]).toEqual(['service-slo-shop']);
});
