import { expect, it } from 'vitest';
import { cancelBuilds, toBuildOutcome } from '../../../activities/releases/builds.ts';
import { type BuildRun, BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const condition = (status: 'True' | 'False' | 'Unknown', message?: string) => ({
  conditions: [{ type: 'Succeeded', status, ...(message !== undefined && { message }) }],
});

it.each([
  ['a new build', undefined, undefined],
  ['a running build', condition('Unknown'), undefined],
  ['a build without a digest', condition('True'), undefined],
  [
    'a finished build',
    { ...condition('True'), output: { digest: 'sha256:1' } },
    { outcome: 'built', digest: 'sha256:1' },
  ],
  [
    'a failed build that pushed an image',
    { ...condition('False', 'No signature.'), output: { digest: 'sha256:1' } },
    { outcome: 'failed', reason: 'No signature.' },
  ],
  ['a failed build', condition('False', 'No Dockerfile.'), { outcome: 'failed', reason: 'No Dockerfile.' }],
  [
    'a failed build with details',
    { ...condition('False', 'Failed.'), failureDetails: { message: 'npm ci failed' } },
    { outcome: 'failed', reason: 'npm ci failed' },
  ],
  ['a failed build without a reason', condition('False'), { outcome: 'failed', reason: 'the builder gave no reason' }],
])('reads the outcome of %s', (_, status, outcome) => {
  expect(toBuildOutcome({ status } as BuildRun)).toEqual(outcome);
});

it('cancels only the unfinished builds of the Release', async () => {
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
  const status = condition('False') as NonNullable<BuildRun['status']>;
  for (const release of releases)
    for (const suffix of ['running', 'failed']) {
      const name = `${release.metadata.name}-${suffix}`;
      const metadata = { namespace, name, ownerReferences: [ownerReference(release)] };
      await store.create(BuildRunKind, { metadata, spec });
      if (suffix === 'failed') await store.updateStatus(BuildRunKind, metadata, () => status);
    }
  if (releases[0]) await cancelBuilds(store, releases[0]);
  const { items } = await store.list(BuildRunKind, { namespace });
  const cancelled = items.filter((build) => build.spec.state === 'BuildRunCanceled');
  expect(cancelled.map(({ metadata }) => metadata.name)).toEqual(['v1-running']);
});
