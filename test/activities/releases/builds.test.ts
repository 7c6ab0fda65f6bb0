import { expect, it, vi } from 'vitest';
import { cancelBuilds, toBuildName, toBuildOutcome } from '../../../activities/releases/builds.ts';
import { type BuildRun, BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const condition = (
  status: 'True' | 'False' | 'Unknown',
  more: { message?: string; reason?: string } = {},
): NonNullable<BuildRun['status']> => ({ conditions: [{ type: 'Succeeded', status, ...more }] });

it.each([
  ['hello-v0.1.0', 'hello-v0.1.0-89abcdef'],
  [`${'a'.repeat(40)}-v1.20261129.1`, `${'a'.repeat(40)}-v1.20261129.1-89abcdef`],
  [`${'a'.repeat(40)}-v20261129.10.2`, `${'a'.repeat(40)}-v20261129.10-89abcdef`],
])('names a build of %s by what fits into a label', (release, expected) => {
  const name = toBuildName(release, '01234567-89abcdef');
  expect(name).toBe(expected);
  expect(name).toMatch(/^(?=.{1,63}$)[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/);
});

it.each([
  ['a new build', undefined, undefined],
  ['a running build', condition('Unknown'), undefined],
  ['a build whose digest may still come', condition('True'), undefined],
  [
    'a build that ended without a digest',
    { ...condition('True'), completionTime: '2026-11-28T08:00:00Z', output: {} },
    {
      outcome: 'failed',
      reason: 'The build succeeded, but its strategy reported no digest of the image.',
      fix: expect.stringContaining('BUILD_STRATEGY'),
    },
  ],
  [
    'a finished build',
    { ...condition('True'), output: { digest: 'sha256:1' } },
    { outcome: 'built', digest: 'sha256:1' },
  ],
  [
    'a failed build that pushed an image',
    { ...condition('False', { message: 'No signature.' }), output: { digest: 'sha256:1' } },
    { outcome: 'failed', reason: 'No signature.' },
  ],
  [
    'a failed build',
    condition('False', { message: 'No Dockerfile.' }),
    { outcome: 'failed', reason: 'No Dockerfile.' },
  ],
  [
    'a failed build with details',
    { ...condition('False', { message: 'Failed.' }), failureDetails: { message: 'npm ci failed' } },
    { outcome: 'failed', reason: 'npm ci failed' },
  ],
  [
    'a failed build with a reason only',
    condition('False', { reason: 'Timeout' }),
    { outcome: 'failed', reason: 'Timeout' },
  ],
  [
    'a failed build with another condition',
    {
      conditions: [{ type: 'Ready', status: 'True' }, ...(condition('False', { reason: 'Timeout' }).conditions ?? [])],
    },
    { outcome: 'failed', reason: 'Timeout' },
  ],
  ['a failed build without a reason', condition('False'), { outcome: 'failed', reason: 'the builder gave no reason' }],
])('reads the outcome of %s', (_, status, outcome) => {
  expect(toBuildOutcome({ status } as BuildRun)).toEqual(outcome);
});

/** Stores two Releases, each with a build that runs and one that has failed. */
async function createBuilds() {
  const store = openTestStore();
  const releases = await Promise.all(
    ['v1', 'v2'].map(
      async (version) =>
        await store.create(ReleaseKind, {
          metadata: { namespace, name: version },
          spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version, startedBy: 'ada' },
        }),
    ),
  );
  const spec: BuildRun['spec'] = {
    build: {
      spec: {
        source: { type: 'Git', git: { url: 'https://code.test/acme/shop', revision: 'c' } },
        strategy: { name: 'buildpacks', kind: 'ClusterBuildStrategy' },
        output: { image: 'registry/shop:v1' },
      },
    },
  };
  const status = condition('False');
  for (const release of releases)
    for (const suffix of ['running', 'failed']) {
      const name = `${release.metadata.name}-${suffix}`;
      const metadata = { namespace, name, ownerReferences: [ownerReference(release)] };
      await store.create(BuildRunKind, { metadata, spec });
      if (suffix === 'failed') await store.updateStatus(BuildRunKind, metadata, () => status);
    }
  const cancel = async (): Promise<void> => {
    for (const release of releases.slice(0, 1)) await cancelBuilds(store, release);
  };
  const listCancelled = async (): Promise<string[]> => {
    const { items } = await store.list(BuildRunKind, { namespace });
    return items.filter(({ spec: { state } }) => state === 'BuildRunCanceled').map(({ metadata }) => metadata.name);
  };
  return { store, cancel, listCancelled };
}

const running = { namespace, name: 'v1-running' };

it('cancels only the unfinished builds of the Release', async () => {
  const { store, cancel, listCancelled } = await createBuilds();
  const build = await store.get(BuildRunKind, running);
  const [owner] = build.metadata.ownerReferences ?? [];
  const more = owner && [owner, { ...owner, uid: 'another owner' }];
  await store.replace(BuildRunKind, {
    ...build,
    metadata: { ...build.metadata, ...(more && { ownerReferences: more }) },
  });
  for (let time = 0; time < 2; time += 1) await cancel();
  expect(await listCancelled()).toEqual(['v1-running']);
});

it('cancels a build that the builder changes at the same time, unless it ends then', async () => {
  const race = async (change: (store: Store) => Promise<unknown>) => {
    const { store, cancel, listCancelled } = await createBuilds();
    const { replace } = store;
    const raced = vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
      await change(store);
      return await replace(kind, object);
    });
    await cancel();
    return { cancelled: await listCancelled(), attempts: raced.mock.calls.length };
  };
  const setStatus = (status: BuildRun['status']) => async (store: Store) =>
    await store.updateStatus(BuildRunKind, running, () => status);
  expect(await race(setStatus(condition('Unknown')))).toEqual({ cancelled: ['v1-running'], attempts: 2 });
  expect(await race(setStatus(condition('False')))).toEqual({ cancelled: [], attempts: 1 });
});

it('cancels nothing of a build that is deleted meanwhile', async () => {
  const { store, cancel, listCancelled } = await createBuilds();
  const { list } = store;
  vi.spyOn(store, 'list').mockImplementationOnce(async (kind, options) => {
    const before = await list(kind, options);
    await store.delete(BuildRunKind, running);
    return before;
  });
  await cancel();
  expect(await listCancelled()).toEqual([]);
});

it('passes on an error of the store', async () => {
  const { store, cancel } = await createBuilds();
  vi.spyOn(store, 'replace').mockRejectedValueOnce(new Error('The store is away.'));
  await expect(cancel()).rejects.toThrow('The store is away.');
});
