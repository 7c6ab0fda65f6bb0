import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createCatalogActivities } from '../../activities/catalog.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { turnKey } from '../../src/rules/agents/transcript-keys.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { ownerReference } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const namespace = 'org-acme';

async function aCatalog() {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const blobs = directoryBlobs(folder);
  const activities = (over: Partial<typeof blobs> = {}) =>
    createCatalogActivities({
      store,
      blobs: { ...blobs, ...over },
      codehost: {} as Codehost,
      domains: { platformDomain: undefined },
    });
  return {
    store,
    blobs,
    activities,
    async aProduct(name: string, runs: number): Promise<string[]> {
      const product = await store.create(ProductKind, {
        metadata: { namespace, name },
        spec: { repos: [`acme/${name}`], delivery: { zones: [] } },
      });
      const keys: string[] = [];
      for (let run = 1; run <= runs; run += 1) {
        const { metadata } = await store.create(AgentWorkflowRunKind, {
          metadata: { namespace, name: `${name}-${run}`, ownerReferences: [ownerReference(product)] },
          spec: { agentWorkflow: 'change', product: name, startedBy: 'jo', steps: [], roles: {} },
        });
        const key = turnKey({ uid: metadata.uid, step: 'implement', turn: 1 }, 'answer');
        await blobs.put(key, Buffer.from('{}'));
        keys.push(key);
      }
      return keys;
    },
  };
}

it('a Product that goes takes the transcripts of its runs with it, and nobody else’s', async () => {
  const { activities, aProduct, blobs, store } = await aCatalog();
  await aProduct('going', 3);
  const kept = await aProduct('staying', 1);
  await activities().forgetProduct({ org: 'acme', product: 'going', zones: [] });
  expect(await blobs.list('')).toEqual(kept);
  expect(await store.find(AgentWorkflowRunKind, { namespace, name: 'going-1' })).toBeUndefined();
  expect(await store.find(AgentWorkflowRunKind, { namespace, name: 'staying-1' })).toBeDefined();
});

it('an attempt that broke off in the middle leaves the rest to the next', async () => {
  const { activities, aProduct, blobs, store } = await aCatalog();
  await aProduct('going', 3);
  let left = 2;
  const deleteAll = async (prefix: string): Promise<void> => {
    if (left === 0) throw new Error('The blobs are away.');
    left -= 1;
    await blobs.deleteAll(prefix);
  };
  const ref = { org: 'acme', product: 'going', zones: [] };
  await expect(activities({ deleteAll }).forgetProduct(ref)).rejects.toThrow('away');
  expect(await blobs.list('')).toHaveLength(1);
  await activities().forgetProduct(ref);
  expect(await blobs.list('')).toEqual([]);
  expect(await store.find(ProductKind, { namespace, name: 'going' })).toBeUndefined();
});
