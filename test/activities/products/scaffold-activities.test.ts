import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import { createScaffoldActivities } from '../../../activities/products/scaffold-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { ProductSource } from '../../../src/rules/products/source.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';
const product = { namespace, name: 'fresh' };
const repo = 'acme/fresh';

/** Creates the Product "fresh" on a real store, with the code host emulator. */
async function createFixture({ source = { repo, template: 'node-service' } as ProductSource } = {}) {
  const { codehost, app, octokit } = await startShopFixture();
  const host = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const store = openTestStore();
  const blobs = directoryBlobs(await createScratchFolder());
  const spec = { source, repos: [repo], delivery: { zones: [] } };
  const { metadata } = await store.create(ProductKind, { metadata: product, spec });
  const ref = { org: 'acme', product: 'fresh', uid: metadata.uid };
  const activities = (wrapped: Codehost = host) => createScaffoldActivities({ store, blobs, codehost: wrapped });
  /** Dies at a call of the code host, before or after its effect. */
  const dyingAt = (name: keyof OrgCodehost, when: 'before' | 'after'): Codehost => ({
    forOrg: async (org) => {
      const real = await host.forOrg(org);
      const call = real[name] as (...args: unknown[]) => Promise<unknown>;
      const die = async (...args: unknown[]): Promise<never> => {
        if (when === 'after') await call(...args);
        throw new Error('killed');
      };
      return { ...real, [name]: die };
    },
  });
  const run = async <T>(activity: (input: typeof ref) => Promise<T>): Promise<T> =>
    (await new MockActivityEnvironment().run(activity, ref)) as T;
  const acme = await host.forOrg('acme');
  const listCommits = async (): Promise<{ sha: string; commit: { message: string } }[]> =>
    (await octokit.request('GET /repos/{owner}/{repo}/commits', { owner: 'acme', repo: 'fresh' })).data;
  return { store, ref, activities, dyingAt, run, acme, listCommits, octokit };
}

it('creates the repo and replaces its content by the files of the template, however often', async () => {
  const { activities, run, acme, listCommits, ref } = await createFixture();
  const { createSourceRepo, commitSource } = activities();
  await run(createSourceRepo);
  await run(createSourceRepo);
  const { commit } = await run(commitSource);
  expect(await run(commitSource)).toEqual({ repo, commit });
  const commits = await listCommits();
  expect(commits.map(({ sha }) => sha)).toEqual([commit, expect.any(String)]);
  expect(commits[0]?.commit.message).toBe(
    `Create fresh from the template node-service\n\nService-Scaffold: ${ref.uid}`,
  );
  expect(await acme.listFiles(repo, '', 'main')).toEqual(expect.arrayContaining(['README.md', 'test/app.test.js']));
  expect(await acme.readFile(repo, 'README.md', 'main')).toMatch(/^# fresh\n/);
  expect(await acme.findRepository(repo)).toMatchObject({
    description: expect.stringContaining('made from the template'),
  });
});

it('keeps the executable bit of a file', async () => {
  const { activities, run, octokit } = await createFixture();
  await run(activities().createSourceRepo);
  const { commit } = await run(activities().commitSource);
  const path = { owner: 'acme', repo: 'fresh', tree_sha: commit };
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', path);
  expect(data.tree).toContainEqual(expect.objectContaining({ path: 'test.sh', mode: '100755' }));
});

it.each([
  ['ensureRepository', 'before'],
  ['ensureRepository', 'after'],
] as const)('continues after it died %s (%s its effect)', async (name, when) => {
  const { activities, dyingAt, run, acme } = await createFixture();
  await expect(run(activities(dyingAt(name, when)).createSourceRepo)).rejects.toThrow('killed');
  await run(activities().createSourceRepo);
  expect(await acme.findRepository(repo)).toBeDefined();
});

it('finds the commit of an attempt that died after its push, also when people have pushed more', async () => {
  const { activities, run, acme, octokit, listCommits } = await createFixture();
  await run(activities().createSourceRepo);
  const { commit } = await run(activities().commitSource);
  await octokit.request('PUT /repos/{owner}/{repo}/contents/{path}', {
    owner: 'acme',
    repo: 'fresh',
    path: 'notes.md',
    message: 'Add notes',
    content: Buffer.from('notes').toString('base64'),
  });
  expect(await run(activities().commitSource)).toEqual({ repo, commit });
  expect(await listCommits()).toHaveLength(3);
  expect(await acme.readFile(repo, 'notes.md', 'main')).toBe('notes');
});

it('commits nothing when the branch moves during the push, and reads it again', async () => {
  const { activities, run, acme } = await createFixture();
  await run(activities().createSourceRepo);
  const moving: Codehost = {
    forOrg: async () => ({
      ...acme,
      // The credentials are read again for the push.
      getGitRemote: vi
        .fn<typeof acme.getGitRemote>(acme.getGitRemote)
        .mockImplementationOnce(acme.getGitRemote)
        .mockImplementationOnce(async (name) => {
          const base = (await acme.findBranchHead(repo, 'main')) ?? '';
          const changes = [{ path: 'theirs.md', content: 'theirs' }];
          const remote = await acme.getGitRemote(name);
          await acme.commitFiles(repo, { branch: 'main', base, message: 'Theirs', changes });
          return remote;
        }),
    }),
  };
  await expect(run(activities(moving).commitSource)).rejects.toThrow(/moved|has commits/);
  await expect(run(activities().commitSource)).rejects.toMatchObject({ reason: 'repo-exists' });
  expect(await acme.readFile(repo, 'theirs.md', 'main')).toBe('theirs');
  expect(await acme.readFile(repo, 'package.json', 'main')).toBeUndefined();
});

it('takes no repo that it did not make for this very Product', async () => {
  const { activities, run, acme, store } = await createFixture();
  await acme.ensureRepository(repo, 'fresh, made from the template node-service (Service-Scaffold of-another-product)');
  await expect(run(activities().createSourceRepo)).rejects.toMatchObject({ reason: 'repo-exists' });
  expect((await store.get(ProductKind, product)).status).toBeUndefined();
});

it('does nothing for a Product that is being deleted or was replaced by another of its name', async () => {
  const { activities, run, store, acme, ref } = await createFixture();
  const other = createScaffoldActivities({ store, blobs: {} as never, codehost: {} as never });
  await expect(
    new MockActivityEnvironment().run(other.createSourceRepo, { ...ref, uid: 'other' }),
  ).rejects.toMatchObject({ code: 'not-found' });
  const patch = { phase: 'Failed' as const, message: 'x' };
  expect(await other.recordScaffold({ ...ref, uid: 'other', patch })).toBe(false);
  expect((await store.get(ProductKind, product)).status).toBeUndefined();
  await store.updateStatus(ProductKind, product, () => ({ deletionMessage: 'soon' }));
  await expect(run(activities().createSourceRepo)).rejects.toMatchObject({ reason: 'product-deleting' });
  await expect(run(activities().commitSource)).rejects.toMatchObject({ reason: 'product-deleting' });
  expect(await other.recordScaffold({ ...ref, patch })).toBe(false);
  expect(await acme.findRepository(repo)).toBeUndefined();
});

it('records the progress, and removes the failure of an earlier attempt', async () => {
  const { activities, store, ref } = await createFixture();
  const { recordScaffold } = activities();
  const failure = {
    reason: 'activity-failed' as const,
    message: 'm',
    resource: 'r',
    fix: 'f',
    at: '2026-01-01T00:00:00Z',
  };
  const startedAt = '2026-01-01T00:00:00Z';
  const read = async () => (await store.get(ProductKind, product)).status?.scaffold;
  await recordScaffold({ ...ref, patch: { phase: 'StartingRelease', message: 'a', startedAt, commit: 'c1' } });
  await recordScaffold({ ...ref, patch: { phase: 'Failed', message: 'b', failure, finishedAt: startedAt } });
  expect(await read()).toEqual({
    phase: 'Failed',
    message: 'b',
    startedAt,
    commit: 'c1',
    failure,
    finishedAt: startedAt,
  });
  const later = '2026-01-02T00:00:00Z';
  expect(await recordScaffold({ ...ref, patch: { phase: 'CreatingRepo', message: 'c', startedAt: later } })).toBe(true);
  expect(await read()).toEqual({ phase: 'CreatingRepo', message: 'c', startedAt: later, commit: 'c1' });
});

it('recognizes the first Release by its commit', async () => {
  const { activities, store, ref } = await createFixture();
  const { hasRelease } = activities();
  const release = { org: ref.org, product: ref.product, commit: 'c'.repeat(40) };
  expect(await hasRelease(release)).toBe(false);
  await store.create(ReleaseKind, {
    metadata: { namespace, name: 'fresh-v0.1.0' },
    spec: { product: 'fresh', repo, commit: release.commit, version: 'v0.1.0', startedBy: 'ada' },
  });
  expect(await hasRelease(release)).toBe(true);
});
