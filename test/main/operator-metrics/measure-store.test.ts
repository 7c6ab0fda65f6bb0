import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { measureStore } from '../../../src/main/operator-metrics/measure-store.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const metadata = { namespace: systemNamespace, name: 'acme' };
const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };

function openMeasuredStore(overrides: Partial<ReturnType<typeof openTestStore>> = {}) {
  const registry = new Registry();
  const store = measureStore({ ...openTestStore(), ...overrides }, registry);
  const readCount = async (labels: string): Promise<number> => {
    const line = (await registry.metrics())
      .split('\n')
      .find((one) => one.startsWith(`delivery_store_operation_duration_seconds_count{${labels}}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  return { store, readCount };
}

describe('measureStore', () => {
  it('times each operation by kind, and cached reads apart from strong ones', async () => {
    const { store, readCount } = openMeasuredStore();
    const created = await store.create(OrganizationKind, { metadata, spec });
    await store.get(OrganizationKind, metadata);
    await store.find(OrganizationKind, metadata, { consistency: 'cached' });
    await store.list(OrganizationKind, { consistency: 'cached' });
    await store.replace(OrganizationKind, created);
    await store.updateStatus(OrganizationKind, metadata, () => undefined);
    await store.put(OrganizationKind, { metadata: { ...metadata, name: 'other' }, spec });
    await store.delete(OrganizationKind, metadata);
    await store.deleteNamespace('org-acme');
    for (const operation of ['create', 'get', 'replace', 'updateStatus', 'put', 'delete'])
      expect(
        await readCount(`operation="${operation}",kind="Organization",consistency="strong",outcome="ok"`),
        operation,
      ).toBe(1);
    for (const operation of ['find', 'list'])
      expect(
        await readCount(`operation="${operation}",kind="Organization",consistency="cached",outcome="ok"`),
        operation,
      ).toBe(1);
    const namespace = 'operation="deleteNamespace",kind="Namespace",consistency="strong",outcome="ok"';
    expect(await readCount(namespace)).toBe(1);
  });

  it('tells the refusals of a healthy store from failures', async () => {
    const away = new ServiceError('unavailable', 'The store is away.');
    const { store, readCount } = openMeasuredStore({
      list: async () => await Promise.reject(away),
      delete: async () => await Promise.reject(new Error('broken')),
    });
    await expect(store.get(OrganizationKind, metadata)).rejects.toThrow('acme');
    await expect(store.list(OrganizationKind)).rejects.toBe(away);
    await expect(store.delete(OrganizationKind, metadata)).rejects.toThrow('broken');
    const common = 'kind="Organization",consistency="strong"';
    expect(await readCount(`operation="get",${common},outcome="refused"`)).toBe(1);
    expect(await readCount(`operation="list",${common},outcome="failed"`)).toBe(1);
    expect(await readCount(`operation="delete",${common},outcome="failed"`)).toBe(1);
  });
});
