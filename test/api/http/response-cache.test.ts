import { expect, it } from 'vitest';
import { ResponseCache } from '../../../api/http/response-cache.ts';
import { AgentRoleKind } from '../../../src/rules/agents/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';

it('computes a response once for concurrent requests, and again after a change', async () => {
  const { store } = await startApi();
  const createRole = async (name: string) =>
    store.create(AgentRoleKind, { metadata: { namespace: 'org-acme', name }, spec: { responsibilities: ['Work.'] } });
  await createRole('writer');
  const cache = new ResponseCache(store);
  let computations = 0;
  const gate = Promise.withResolvers<void>();
  const createView = async (reads: Store) => {
    computations += 1;
    const { items } = await reads.list(AgentRoleKind, { namespace: 'org-acme' });
    await gate.promise;
    return items.length;
  };
  const compute = async (): Promise<string> =>
    new TextDecoder().decode((await cache.compute('key', createView)).representation.body);
  const concurrent = [compute(), compute(), compute()];
  await createRole('reader');
  const afterChange = compute();
  gate.resolve();
  expect(await Promise.all([...concurrent, afterChange])).toEqual(['1', '1', '1', '2']);
  expect(computations).toBe(2);
});

it('keeps nothing while the store cannot tell what has changed', async () => {
  const { store } = await startApi();
  const cache = new ResponseCache({ ...store, revision: () => undefined });
  let computations = 0;
  const compute = async () =>
    await cache.compute('key', async (reads) => {
      computations += 1;
      return await reads.list(AgentRoleKind, { namespace: 'org-acme' });
    });
  await compute();
  expect(cache.find('key')).toBeUndefined();
  await Promise.all([compute(), compute()]);
  expect(computations).toBe(3);
});

it('forgets the oldest of many responses with long URLs, however short their bodies are', async () => {
  const { store } = await startApi();
  const cache = new ResponseCache(store);
  const createView = async (reads: Store) => (await reads.list(AgentRoleKind, { namespace: 'org-acme' })).items;
  const toKey = (index: number): string => `${index} ${'&'.repeat(16_000)}`;
  for (let index = 0; index < 5_000; index += 1) await cache.compute(toKey(index), createView);
  expect(cache.find(toKey(4_999))).toBeDefined();
  expect(cache.find(toKey(0))).toBeUndefined();
});
