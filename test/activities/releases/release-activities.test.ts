import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createReleaseActivities, type ReleaseDeps } from '../../../activities/releases/release-activities.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { loadConfig } from '../../../src/config.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { type BuildRun, BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const commit = 'c0ffee';
const ref = { org: 'acme', release: 'hello-v0.1.0' };
const releaseRun = { agentWorkflow: 'go-to-market', run: 'go-to-market-hello-1a2b3c4d' };
const input = { org: 'acme', product: 'hello', repo: 'acme/hello', commit, startedBy: 'ada', workflowId: 'w' };

async function createRelease() {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones: [] } },
  });
  const { startedBy, product, repo } = input;
  await store.create(ReleaseKind, {
    metadata: { namespace, name: ref.release },
    spec: { product, repo, commit, startedBy, version: 'v0.1.0' },
  });
  const market = { ...defaultAgentWorkflows['go-to-market'], enabled: true };
  const add = async (name: string, spec = market, org = namespace): Promise<unknown> =>
    await store.create(AgentWorkflowKind, { metadata: { namespace: org, name }, spec });
  await add('go-to-market');
  await add('notes');
  await add('off', { ...market, enabled: false });
  await add('change', { ...defaultAgentWorkflows.change });
  await add('theirs', market, 'org-other');
  const activities = createReleaseActivities({
    store,
    codehost: {} as Codehost,
    network: loadConfig({}).network,
    quotas: loadConfig({}).quotas,
    imageRepository: () => '',
    buildStrategy: 'buildpacks-v3',
    registry: { push: undefined, pull: undefined },
    registries: { check: async () => 'pull-and-push' },
    now: () => new Date(0),
  });
  const readTriggeredRuns = async () =>
    (await store.get(ReleaseKind, { namespace, name: ref.release })).status?.cutRuns;
  return { activities, readTriggeredRuns, store };
}

it('finds the enabled AgentWorkflows that the tag of a Release triggers, and skips started ones', async () => {
  const { activities } = await createRelease();
  await activities.openRelease(input);
  expect(await activities.findReleaseTriggers(ref)).toEqual(['go-to-market', 'notes']);
  await activities.recordReleaseRun({ ...ref, releaseRun });
  expect(await activities.findReleaseTriggers(ref)).toEqual(['notes']);
});

it('reserves runs within the quota of the org', async () => {
  const { reserveReleaseRuns } = await createProduct({ quotas: { ...loadConfig({}).quotas, runsPerOrg: 2 } });
  expect(await reserveReleaseRuns({ org: 'acme', workflowIds: ['one', 'two', 'three'] })).toBe(2);
  expect(await reserveReleaseRuns({ org: 'acme', workflowIds: ['four'] })).toBe(0);
});

it('finds nothing for a Release that was deleted while its runs waited', async () => {
  const { activities } = await createRelease();
  expect(await activities.findReleaseTriggers({ ...ref, release: 'gone' })).toEqual([]);
});

it('finds no AgentWorkflow that was rejected', async () => {
  const { activities, store } = await createRelease();
  await activities.openRelease(input);
  const finding = { rejection: 'No.', generation: 1, at: '2026-01-01T00:00:00.000Z' };
  const conditions = withAcceptedCondition([], finding);
  await store.updateStatus(AgentWorkflowKind, { namespace, name: 'notes' }, () => ({ conditions }));
  expect(await activities.findReleaseTriggers(ref)).toEqual(['go-to-market']);
});

it('records each run once, even when the Release is retried', async () => {
  const { activities, readTriggeredRuns } = await createRelease();
  await activities.openRelease(input);
  await activities.recordReleaseRun({ ...ref, releaseRun });
  const other = { agentWorkflow: 'notes', run: 'notes-hello-1a2b3c4d' };
  await activities.recordReleaseRun({ ...ref, releaseRun: other });
  await activities.recordReleaseRun({ ...ref, releaseRun });
  expect(await readTriggeredRuns()).toEqual([releaseRun, other]);
  await activities.openRelease(input);
  expect(await readTriggeredRuns()).toEqual([releaseRun, other]);
});

const host = {
  listVersionTags: async () => [{ name: 'v0.1.0', commit: 'c1' }],
  listCommitsBetween: async () => [{ sha: 'c2', message: 'feat: greet' }],
  isAncestor: async (_repo: string, ancestor: string, descendant: string) => ancestor <= descendant,
};

async function createProduct(more: Partial<ReleaseDeps> = {}) {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones: [{ name: 'hello-prod', promotionPolicy: 'automatic' }] } },
  });
  const activities = createReleaseActivities({
    store,
    codehost: { forOrg: async () => host as unknown as OrgCodehost },
    network: loadConfig({}).network,
    quotas: loadConfig({}).quotas,
    imageRepository: () => '',
    buildStrategy: 'buildpacks-v3',
    registry: { push: undefined, pull: undefined },
    registries: { check: async () => 'pull-and-push' },
    now: () => new Date(0),
    ...more,
  });
  return { ...activities, store };
}

it('reserves the version tag of the commit, then the next version, and keeps the version of a commit', async () => {
  const { openRelease } = await createProduct();
  const more = { uid: expect.any(String), zones: ['hello-prod'] };
  const first = await openRelease({ ...input, commit: 'c1' });
  expect(first).toEqual({ release: 'hello-v0.1.0', version: 'v0.1.0', ...more });
  const next = await openRelease({ ...input, commit: 'c2' });
  expect(next).toEqual({ release: 'hello-v0.2.0', version: 'v0.2.0', ...more });
  expect(next.uid).not.toBe(first.uid);
  expect(await openRelease({ ...input, commit: 'c2' })).toEqual(next);
  expect(await openRelease({ ...input, commit: 'c2', version: 'v0.2.0' })).toEqual(next);
});

it('begins with the build, and all zones pending', async () => {
  const { openRelease, store } = await createProduct();
  await openRelease({ ...input, commit: 'c1' });
  expect((await store.get(ReleaseKind, { namespace, name: 'hello-v0.1.0' })).status).toEqual({
    phase: 'Building',
    startedBy: 'ada',
    startedAt: '1970-01-01T00:00:00.000Z',
    zones: [{ name: 'hello-prod', phase: 'Pending' }],
  });
});

it.each([
  [true, undefined],
  [false, 'sha256:1'],
])('deploys the image of a reopened Release only while it exists (deleted: %s)', async (isDeleted, digest) => {
  const asked: string[] = [];
  const isImageDeleted = async (image: string) => (asked.push(image), isDeleted);
  const { openRelease, reopenRelease, recordRelease } = await createProduct({ isImageDeleted });
  await openRelease({ ...input, commit: 'c1' });
  expect(await reopenRelease(ref)).not.toHaveProperty('digest');
  expect(asked).toEqual([]);
  await recordRelease({ ...ref, patch: { digest: 'sha256:1' } });
  const reopened = await reopenRelease(ref);
  expect(reopened.digest).toBe(digest);
  expect('digest' in reopened).toBe(digest !== undefined);
  expect(asked).toEqual(['sha256:1']);
});

it('tags the commit before it makes the release of the tag, with the message of the commit', async () => {
  const calls: unknown[] = [];
  const tagging = {
    ...host,
    ensureTag: async (...call: unknown[]) => {
      await setImmediate();
      calls.push(['tag', ...call]);
    },
    getCommit: async (repo: string, sha: string) => ({ sha, message: `${sha} of ${repo}`, parents: [] }),
    ensureRelease: async (...call: unknown[]) => {
      calls.push(['release', ...call]);
      return { url: 'https://codehost.test/v0.1.0' };
    },
  };
  const { openRelease, tagRelease } = await createProduct({
    codehost: { forOrg: async () => tagging as unknown as OrgCodehost },
  });
  await openRelease({ ...input, commit: 'c1' });
  expect(await tagRelease(ref)).toEqual({ url: 'https://codehost.test/v0.1.0' });
  expect(calls).toEqual([
    ['tag', 'acme/hello', { name: 'v0.1.0', commit: 'c1' }],
    ['release', 'acme/hello', { tag: 'v0.1.0', title: 'v0.1.0', body: 'c1 of acme/hello' }],
  ]);
});

it.each([
  ['Cancelled', 'BuildRunCanceled'],
  ['Failed', undefined],
] as const)('records a Release that is %s next to its zones, and ends its builds: %s', async (phase, state) => {
  const { openRelease, recordRelease, store } = await createProduct();
  await openRelease({ ...input, commit: 'c1' });
  const release = await store.get(ReleaseKind, { namespace, name: ref.release });
  const build = { namespace, name: 'build' };
  await store.create(BuildRunKind, {
    metadata: { ...build, ownerReferences: [ownerReference(release)] },
    spec: { build: { spec: { source: { type: 'Git', git: { url: '', revision: 'c1' } } } } } as BuildRun['spec'],
  });
  await recordRelease({ ...ref, patch: { phase } });
  const { status } = await store.get(ReleaseKind, { namespace, name: ref.release });
  expect(status).toEqual({ ...release.status, phase });
  expect((await store.get(BuildRunKind, build)).spec.state).toBe(state);
});

it('records nothing of a Release that was not opened', async () => {
  const { activities, store } = await createRelease();
  await activities.recordRelease({ ...ref, patch: { phase: 'Failed' } });
  await activities.recordReleaseRun({ ...ref, releaseRun });
  expect((await store.get(ReleaseKind, { namespace, name: ref.release })).status).toBeUndefined();
  expect(await activities.reopenRelease(ref)).toMatchObject({ zones: [], finishedZones: [] });
  expect(await activities.findReleaseTriggers(ref)).toEqual(['go-to-market', 'notes']);
});

it('rejects a commit that a Release already contains', async () => {
  const { openRelease } = await createProduct();
  await openRelease({ ...input, commit: 'c2' });
  const reason = 'commit-already-released';
  await expect(openRelease({ ...input, commit: 'c1' })).rejects.toMatchObject({ reason });
  await expect(openRelease({ ...input, commit: 'c2', version: 'v9.0.0' })).rejects.toMatchObject({ reason });
});

it('rejects a requested version that the Release of another commit has', async () => {
  const { openRelease } = await createProduct();
  await openRelease({ ...input, commit: 'c2', version: 'v1.0.0' });
  await expect(openRelease({ ...input, commit: 'c3', version: 'v1.0.0' })).rejects.toMatchObject({ code: 'conflict' });
});

it('keeps the record of a Release that has succeeded, and starts one that has failed again', async () => {
  const { activities, store } = await createRelease();
  await activities.openRelease(input);
  const at = '2026-01-01T00:00:00Z';
  const decision = { by: 'ada', role: 'member', outcome: 'approved' as const, at };
  const zones = [{ name: 'hello-prod', phase: 'Verified' as const, decision }];
  const record = { phase: 'Succeeded' as const, startedAt: at, zones };
  const set = async (status: ReleaseStatus) =>
    await store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => status);
  const read = async () => (await store.get(ReleaseKind, { namespace, name: ref.release })).status;
  await set(record);
  await expect(activities.openRelease(input)).rejects.toMatchObject({ reason: 'commit-already-released' });
  expect(await read()).toEqual(record);
  await set({ ...record, phase: 'Failed' });
  await activities.openRelease(input);
  expect(await read()).toMatchObject({ phase: 'Building', zones: [] });
});

it('skips an AgentWorkflow whose run exists, although the status does not show it yet', async () => {
  const { activities, store } = await createRelease();
  const release = { name: ref.release, version: 'v0.1.0', repo: 'acme/hello' };
  const spec = { agentWorkflow: 'notes', product: 'hello', startedBy: 'Release v0.1.0', steps: [], roles: {}, release };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: 'notes-hello-1' }, spec });
  const later = { ...spec, agentWorkflow: 'go-to-market', release: { ...release, name: 'hello-v0.2.0' } };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name: 'later-1' }, spec: later });
  expect(await activities.findReleaseTriggers(ref)).toEqual(['go-to-market']);
});

it('finds an AgentWorkflow that other events trigger too, and needs no Release where none is triggered', async () => {
  const { activities, store } = await createRelease();
  const market = await store.get(AgentWorkflowKind, { namespace, name: 'go-to-market' });
  const triggers = [{ type: 'event' as const, event: 'issue.opened' as const }, ...market.spec.triggers];
  await store.replace(AgentWorkflowKind, { ...market, spec: { ...market.spec, triggers } });
  expect(await activities.findReleaseTriggers(ref)).toEqual(['go-to-market', 'notes']);
  for (const name of ['go-to-market', 'notes']) await store.delete(AgentWorkflowKind, { namespace, name });
  expect(await activities.findReleaseTriggers({ ...ref, release: 'gone' })).toEqual([]);
});

it('reopens a Release with what it has reached', async () => {
  const { activities, store } = await createRelease();
  const { uid } = (await store.get(ReleaseKind, { namespace, name: ref.release })).metadata;
  const opened = { release: ref.release, version: 'v0.1.0', uid };
  await store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => ({
    phase: 'Building' as const,
    zones: [],
  }));
  expect(await activities.reopenRelease(ref)).toEqual({ ...opened, zones: [], finishedZones: [] });
  const zones = [
    { name: 'hello-rc', phase: 'Verified' as const },
    { name: 'hello-prod', phase: 'WaitingForApproval' as const },
  ];
  const status: ReleaseStatus = { phase: 'Promoting', digest: 'sha256:1', zones };
  await store.updateStatus(ReleaseKind, { namespace, name: ref.release }, () => status);
  expect(await activities.reopenRelease(ref)).toEqual({
    ...opened,
    zones: ['hello-rc', 'hello-prod'],
    finishedZones: [{ name: 'hello-rc', phase: 'Verified' }],
    digest: 'sha256:1',
  });
});
