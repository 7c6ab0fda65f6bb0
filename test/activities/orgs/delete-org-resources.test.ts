import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { deleteOrgResources } from '../../../activities/orgs/delete-org-resources.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { AppProjectKind } from '../../../src/kinds/argo-cd.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { runPrefix } from '../../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { orgFinalizer, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { orgLogosPrefix } from '../../../src/rules/products/logo.ts';
import type { Kind, StoredObject } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const system = 'service-system';

/** Stores two orgs with all that an org leaves behind, of which `acme` is being deleted. */
async function createOrgs() {
  const store = openTestStore();
  const blobs = directoryBlobs(join(await createScratchFolder(), 'blobs'));
  const uids: Record<string, string> = {};
  const runs: Record<string, string> = {};
  for (const org of ['acme', 'other']) {
    const namespace = `org-${org}`;
    const { metadata } = await store.create(OrganizationKind, {
      metadata: { namespace: system, name: org, finalizers: [orgFinalizer, 'test/keep'] },
      spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
    });
    uids[org] = metadata.uid;
    const spec = { agentWorkflow: 'change', product: 'shop', startedBy: 'ada', steps: [], roles: {} };
    const run = await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: 'change-1' }, spec });
    runs[org] = `${runPrefix(run.metadata.uid)}implement/0001/prompt`;
    for (const key of [runs[org], `${orgLogosPrefix(org)}logo`]) await blobs.put(key, Buffer.from('x'));
    await store.create(SecretKind, { metadata: { namespace, name: 'codehost' } });
    const reserve = async (name: string, data: Record<string, string>) =>
      await store.create(ConfigMapKind, { metadata: { namespace: system, name: `${name}-${org}` }, data });
    await reserve('product', { org, product: 'shop' });
    await reserve('unrelated', { org });
    await store.create(AppProjectKind, {
      metadata: { namespace: 'argocd', name: namespace },
      spec: {
        sourceRepos: [],
        sourceNamespaces: [],
        destinations: [],
        clusterResourceWhitelist: [],
        namespaceResourceWhitelist: [],
      },
    });
  }
  await store.delete(OrganizationKind, { namespace: system, name: 'acme' });
  const uid = uids['acme'] ?? '';
  const remove = async (ref = { org: 'acme', uid }) =>
    await new MockActivityEnvironment().run(async () => {
      await deleteOrgResources({ store, blobs, argoCdNamespace: 'argocd' }, ref);
    });
  const list = async () => {
    const kinds: Kind<StoredObject>[] = [AgentWorkflowRunKind, SecretKind, ConfigMapKind, AppProjectKind];
    const lists = await Promise.all(kinds.map(async (kind) => await store.list(kind)));
    const names = lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    return [...names, ...(await blobs.list(''))].toSorted();
  };
  const readFinalizers = async () =>
    (await store.get(OrganizationKind, { namespace: system, name: 'acme' })).metadata.finalizers;
  return { store, remove, list, readFinalizers, runs, uid };
}

it('deletes everything of the org and nothing of another, then lets the Organization go', async () => {
  const { remove, list, readFinalizers, runs } = await createOrgs();
  await remove();
  const kept = [
    'argocd/org-other',
    'org-other/change-1',
    'org-other/codehost',
    `${orgLogosPrefix('other')}logo`,
    'service-system/product-other',
    'service-system/unrelated-acme',
    'service-system/unrelated-other',
    runs['other'] ?? '',
  ].toSorted();
  expect(await list()).toEqual(kept);
  expect(await readFinalizers()).toEqual(['test/keep']);
  await remove();
  expect(await list()).toEqual(kept);
});

it('deletes nothing of an org that is not being deleted, or that has the name since', async () => {
  const { store, remove, list, uid } = await createOrgs();
  const before = await list();
  await remove({ org: 'acme', uid: 'earlier' });
  const { metadata } = await store.get(OrganizationKind, { namespace: system, name: 'other' });
  await remove({ org: 'other', uid: metadata.uid });
  expect(await list()).toEqual(before);
  const organization = await store.get(OrganizationKind, { namespace: system, name: 'acme' });
  await store.replace(OrganizationKind, { ...organization, metadata: { ...organization.metadata, finalizers: [] } });
  await remove({ org: 'acme', uid });
  expect(await list()).toEqual(before);
});
