import { expect, it, vi } from 'vitest';
import { createNextRelease, findReleaseByCommit } from '../../../activities/releases/create-release.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { ServiceError } from '../../../src/errors.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const input = { org: 'acme', product: 'hello', repo: 'acme/hello', commit: 'c2', startedBy: 'ada', workflowId: 'w' };

type HostOptions = {
  tags?: { name: string; commit: string }[];
  messages?: string[];
  /** The messages since other commits than the newest tag. */
  messagesSince?: Record<string, string[]>;
  ancestors?: [string, string][];
  /** The code host has no comparison of commits without a common history. */
  isRewritten?: boolean;
};

const comparisonsMax = 20;

/** Answers as a repo with these tags, commit messages since the newest tag, and pairs of ancestor and descendant. */
function createHost({
  tags = [],
  messages = [],
  messagesSince = {},
  ancestors = [],
  isRewritten = false,
}: HostOptions) {
  const compared: string[] = [];
  let comparisons = 0;
  const assertComparable = (): void => {
    if (isRewritten) throw new ServiceError('not-found', 'The code host does not have the comparison.');
    comparisons += 1;
    if (comparisons > comparisonsMax) throw new Error('The limit of requests is reached.');
  };
  const host = {
    listVersionTags: async () => tags,
    listCommitsBetween: async (_repo: string, base: string, head: string) => {
      assertComparable();
      compared.push(`${base}...${head}`);
      return (messagesSince[base] ?? messages).map((message, index) => ({ sha: `m${index}`, message }));
    },
    isAncestor: async (_repo: string, ancestor: string, descendant: string) => {
      assertComparable();
      return ancestors.some(([one, other]) => one === ancestor && other === descendant);
    },
  };
  return { host: host as unknown as OrgCodehost, compared };
}

async function createHarness(options: HostOptions = {}) {
  const store = openTestStore();
  for (const name of ['hello', 'other'])
    await store.create(ProductKind, { metadata: { namespace, name }, spec: { repos: [], delivery: { zones: [] } } });
  const { host, compared } = createHost(options);
  const add = async (version: string, commit: string, more: { product?: string; repo?: string } = {}) => {
    const spec = { product: 'hello', repo: 'acme/hello', startedBy: 'ada', version, commit, ...more };
    await store.create(ReleaseKind, { metadata: { namespace, name: `${spec.product}-${version}` }, spec });
  };
  const create = async (more: Partial<typeof input & { version: string; run: string }> = {}) =>
    await createNextRelease(store, host, { ...input, ...more });
  return { store, add, create, compared };
}

it('creates the Release of the Product, with the run that started it', async () => {
  const { store, create } = await createHarness();
  const { metadata, spec } = await create({ run: 'change-hello-7' });
  const { uid } = (await store.get(ProductKind, { namespace, name: 'hello' })).metadata;
  expect(metadata).toMatchObject({ name: 'hello-v0.1.0', ownerReferences: [{ uid }] });
  expect(Object.values(metadata.labels ?? {})).toEqual(['change-hello-7']);
  expect(Object.values(metadata.annotations ?? {})).toEqual(['w']);
  const { workflowId: _, org: __, ...rest } = input;
  expect(spec).toEqual({ ...rest, version: 'v0.1.0', run: 'change-hello-7' });
  expect((await create({ commit: 'c3' })).spec).not.toHaveProperty('run');
});

it('takes the version from the messages since the newest tag, by its number', async () => {
  const tags = [
    { name: 'v1.9.0', commit: 'a' },
    { name: 'v1.10.0', commit: 'b' },
  ];
  const { create, compared } = await createHarness({ tags, messages: ['feat: greet'] });
  expect((await create()).spec.version).toBe('v1.11.0');
  expect(compared).toEqual(['v1.10.0...c2']);
});

it('prefers the version that a person requests, then the tag of the commit', async () => {
  const tags = [{ name: 'v2.0.0', commit: 'c2' }];
  const { create } = await createHarness({ tags });
  expect((await create({ version: 'v3.0.0' })).spec.version).toBe('v3.0.0');
  const tagged = await createHarness({ tags });
  expect((await tagged.create()).spec.version).toBe('v2.0.0');
});

it('takes the next version when the tag of the commit is the version of another Release', async () => {
  const tags = [{ name: 'v2.0.0', commit: 'c2' }];
  const moved = await createHarness({ tags });
  await moved.add('v2.0.0', 'c1');
  expect((await moved.create()).spec).toMatchObject({ version: 'v2.0.1', commit: 'c2' });
  const twoRepos = await createHarness({ tags: [...tags, { name: 'v2.1.0', commit: 'c2' }] });
  await twoRepos.add('v2.0.0', 'c1', { repo: 'acme/other' });
  expect((await twoRepos.create()).spec.version).toBe('v2.1.0');
});

it('refuses a version whose tag is at another commit, before the commit has a Release', async () => {
  const { store, create } = await createHarness({ tags: [{ name: 'v2.0.0', commit: 'c1' }] });
  await expect(create({ version: 'v2.0.0' })).rejects.toMatchObject({
    reason: 'tag-exists',
    message: 'The tag v2.0.0 of acme/hello exists at c1, not at c2. Start the Release with another version.',
  });
  expect((await store.list(ReleaseKind)).items).toEqual([]);
  expect((await create({ version: 'v2.0.1' })).spec.version).toBe('v2.0.1');
});

it('releases a commit that has no common history with the newest tag and Release', async () => {
  const { add, create } = await createHarness({ tags: [{ name: 'v1.0.0', commit: 'c1' }], isRewritten: true });
  await add('v1.0.0', 'c1');
  expect((await create()).spec).toMatchObject({ version: 'v1.0.1', commit: 'c2' });
});

it('takes the next version when another Release takes the first one in between', async () => {
  const { store, add, create } = await createHarness();
  const { list } = store;
  vi.spyOn(store, 'list').mockImplementationOnce(async (kind, options) => {
    const before = await list(kind, options);
    await add('v0.1.0', 'c1');
    return before;
  });
  const { spec } = await create();
  expect(spec).toMatchObject({ version: 'v0.1.1', commit: 'c2' });
});

it('counts no commit again that is part of a Release without a tag, which is being built or failed', async () => {
  const tags = [{ name: 'v1.0.0', commit: 'a' }];
  const messages = ['feat!: greet by name', 'fix: greet all'];
  const { add, create, compared } = await createHarness({ tags, messages, messagesSince: { c1: ['fix: greet all'] } });
  await add('v2.0.0', 'c1');
  await add('v3.0.0', 'd1', { repo: 'acme/other' });
  await add('v4.0.0', 'e1', { product: 'other' });
  expect((await create()).spec.version).toBe('v3.0.1');
  expect(compared).toEqual(['c1...c2']);
});

it('takes the messages since a Release that takes the first version in between', async () => {
  const messagesSince = { c1: ['fix: greet all'] };
  const tags = [{ name: 'v1.0.0', commit: 'a' }];
  const { store, add, create } = await createHarness({ tags, messages: ['feat!: greet by name'], messagesSince });
  const { list } = store;
  vi.spyOn(store, 'list').mockImplementationOnce(async (kind, options) => {
    const before = await list(kind, options);
    await add('v2.0.0', 'c1');
    return before;
  });
  expect((await create()).spec).toMatchObject({ version: 'v2.0.1', commit: 'c2' });
});

it('does not choose another version than the one that a person requests', async () => {
  const { add, create } = await createHarness();
  await add('v1.0.0', 'c1');
  await expect(create({ version: 'v1.0.0' })).rejects.toMatchObject({ code: 'conflict' });
});

it('refuses a commit of the newest Release of the repo, whatever was released before', async () => {
  const { add, create } = await createHarness({ ancestors: [['c2', 'c10']] });
  await add('v0.9.0', 'c9');
  await add('v0.10.0', 'c10');
  await expect(create()).rejects.toMatchObject({
    reason: 'commit-already-released',
    message: 'The commit c2 is already part of the Release "hello-v0.10.0".',
  });
});

it('compares the commit only with the newest Release, of the same repo', async () => {
  const { add, create } = await createHarness({
    ancestors: [
      ['c2', 'c1'],
      ['c2', 'elsewhere'],
    ],
  });
  await add('v0.1.0', 'c1');
  await add('v0.2.0', 'c9');
  await add('v0.3.0', 'elsewhere', { repo: 'acme/elsewhere' });
  expect((await create()).spec).toMatchObject({ commit: 'c2' });
});

it('finds the Release of a commit in its Product only', async () => {
  const { store, add } = await createHarness();
  await add('v0.1.0', 'c2', { product: 'other' });
  await add('v0.2.0', 'c1');
  expect(await findReleaseByCommit(store, input)).toBeUndefined();
  await add('v0.3.0', 'c2');
  expect((await findReleaseByCommit(store, input))?.metadata.name).toBe('hello-v0.3.0');
});

it('refuses a Release of a Product that is being deleted', async () => {
  const { store, create } = await createHarness();
  await store.updateStatus(ProductKind, { namespace, name: 'hello' }, () => ({ deletionMessage: 'by ada' }));
  await expect(create()).rejects.toMatchObject({ reason: 'product-deleting' });
  expect((await store.list(ReleaseKind)).items).toEqual([]);
});

it('refuses a Release of a Product that is gone', async () => {
  const { create } = await createHarness();
  await expect(create({ product: 'gone' })).rejects.toMatchObject({ code: 'not-found' });
});
