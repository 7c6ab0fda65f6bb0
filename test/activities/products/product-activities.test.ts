import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import type { Codehost } from '../../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import { connectShop } from '../../integrations/codehost/shop-codehost.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';

async function createHarness() {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const store = openMemoryStore();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const blobs = directoryBlobs(folder);
  const activities = (over: Partial<typeof blobs> = {}, codehost = {} as Codehost) =>
    createProductActivities({
      store,
      blobs: { ...blobs, ...over },
      codehost,
    });
  return {
    store,
    blobs,
    activities,
    async createProduct(name: string, runs: number): Promise<string[]> {
      const product = await store.create(ProductKind, {
        metadata: { namespace, name },
        spec: { repos: [`acme/${name}`], delivery: { zones: [] } },
      });
      if (name === 'deleted')
        await store.updateStatus(ProductKind, product.metadata, () => ({ deletionMessage: 'by ada' }));
      const keys: string[] = [];
      for (let run = 1; run <= runs; run += 1) {
        const { metadata } = await store.create(AgentWorkflowRunKind, {
          metadata: { namespace, name: `${name}-${run}`, ownerReferences: [ownerReference(product)] },
          spec: { agentWorkflow: 'change', product: name, startedBy: 'jo', steps: [], roles: {} },
        });
        const key = turnKey({ uid: metadata.uid, step: 'implement', turn: 1 }, 'response');
        await blobs.put(key, Buffer.from('{}'));
        keys.push(key);
      }
      return keys;
    },
  };
}

it('deletes the transcripts of the runs of a Product, and no others', async () => {
  const { activities, createProduct, blobs, store } = await createHarness();
  await createProduct('deleted', 3);
  const kept = await createProduct('other', 1);
  await activities().deleteProductResources({ org: 'acme', product: 'deleted', zones: [] });
  expect(await blobs.list('')).toEqual(kept);
  expect(await store.find(AgentWorkflowRunKind, { namespace, name: 'deleted-1' })).toBeUndefined();
  expect(await store.find(AgentWorkflowRunKind, { namespace, name: 'other-1' })).toBeDefined();
});

it('continues an interrupted deletion on the next attempt', async () => {
  const { activities, createProduct, blobs, store } = await createHarness();
  await createProduct('deleted', 3);
  let left = 2;
  const deleteAll = async (prefix: string): Promise<void> => {
    if (left === 0) throw new Error('The blob store is unavailable.');
    left -= 1;
    await blobs.deletePrefix(prefix);
  };
  const ref = { org: 'acme', product: 'deleted', zones: [] };
  await expect(activities({ deletePrefix: deleteAll }).deleteProductResources(ref)).rejects.toThrow('unavailable');
  expect(await blobs.list('')).toHaveLength(1);
  await activities().deleteProductResources(ref);
  expect(await blobs.list('')).toEqual([]);
  expect(await store.find(ProductKind, { namespace, name: 'deleted' })).toBeUndefined();
});

it('begins the deletion of a Product only after the API or kubectl asked for it', async () => {
  const { activities, createProduct, store } = await createHarness();
  await createProduct('shop', 0);
  const begin = async () => await activities().beginProductDeletion({ org: 'acme', product: 'shop' });
  await expect(begin()).rejects.toMatchObject({ reason: 'decision-refused' });
  expect(await store.find(ProductKind, { namespace, name: 'shop' })).toBeDefined();
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({ deletionMessage: 'by ada' }));
  expect(await begin()).toEqual([]);
});

it('returns an event of a person for each label that an issue does not have yet', async () => {
  const { activities } = await createHarness();
  const { codehost, requestAsUser } = await connectShop();
  const issue = { title: 'Greet', labels: ['bug'] };
  const { number } = await requestAsUser<{ number: number }>('POST', '/repos/acme/shop/issues', issue);
  const { readLabelEvents, labelIssue } = activities({}, codehost);
  const input = { org: 'acme', product: 'shop', repo: 'acme/shop', number, requestId: 'r1', remove: [], by: 'ada' };
  const request = { ...input, add: ['bug', 'ready', 'ready'] };
  expect(await readLabelEvents(request)).toEqual([
    expect.objectContaining({
      action: 'labeled',
      label: 'ready',
      labels: ['bug', 'ready'],
      senderIsBot: false,
      people: ['owner'],
    }),
  ]);
  await labelIssue(request);
  expect(await readLabelEvents({ ...request, add: ['Bug', 'READY'] })).toEqual([]);
});
