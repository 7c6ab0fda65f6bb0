import { ignoreNotFound, isServiceError, ServiceError } from '../../src/errors.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { runLabel, workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { assertOrgActive } from '../../src/rules/orgs/assert-org-active.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { assertProductActive } from '../../src/rules/products/assert-product-active.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { compareVersions, nextVersion } from '../../src/rules/releases/next-version.ts';
import { orgNamespace, ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { PromoteReleaseInput } from '../../workflows/releases/messages.ts';

export type OpenReleaseInput = PromoteReleaseInput & { workflowId: string };

export async function findReleaseByCommit(
  store: Store,
  { org, product, commit }: Pick<OpenReleaseInput, 'org' | 'product' | 'commit'>,
): Promise<Release | undefined> {
  const { items } = await store.list(ReleaseKind, {
    namespace: orgNamespace(org),
    fields: { 'spec.product': product, 'spec.commit': commit },
  });
  return items[0];
}

type VersionTag = { name: string; commit: string };

/** Creates a Release with the requested version, the commit's version tag, or the next version that is available. */
export async function createNextRelease(store: Store, host: OrgCodehost, input: OpenReleaseInput): Promise<Release> {
  const namespace = orgNamespace(input.org);
  const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: input.org });
  if (organization) assertOrgActive(organization);
  const tags = await host.listVersionTags(input.repo);
  assertVersionFree(input, tags);
  for (;;) {
    assertProductActive(await store.get(ProductKind, { namespace, name: input.product }));
    const { items } = await store.list(ReleaseKind, { namespace, fields: { 'spec.product': input.product } });
    await assertNotOlder(host, input, items);
    const released = items.map(({ spec }) => spec.version);
    // The tag may have been moved here from another commit, or be that of another repo's Release too.
    const own = tags.find(({ name, commit }) => commit === input.commit && !released.includes(name));
    const taken = [...tags.map(({ name }) => name), ...released];
    const version =
      input.version ??
      own?.name ??
      nextVersion(taken, await listCommitMessages(host, input, { tags, releases: items }));
    try {
      return await createRelease(store, input, version);
    } catch (error) {
      // Another Release has taken the name; try the next version unless a person requested this one.
      if (!isServiceError(error, 'conflict') || input.version !== undefined) throw error;
    }
  }
}

/** A Release keeps its commit and version for good, so one that cannot be tagged must not be created. */
function assertVersionFree({ repo, commit, version }: OpenReleaseInput, tags: readonly VersionTag[]): void {
  const tag = tags.find(({ name }) => name === version);
  if (!tag || tag.commit === commit) return;
  throw new ServiceError(
    'tag-exists',
    `The tag ${tag.name} of ${repo} exists at ${tag.commit}, not at ${commit}. Start the Release with another version.`,
  );
}

/** A higher version must never contain older code, so a commit that is part of the newest Release gets no Release. */
async function assertNotOlder(
  host: OrgCodehost,
  { repo, commit }: OpenReleaseInput,
  releases: Release[],
): Promise<void> {
  const sameRepo = releases.filter(({ spec }) => spec.repo === repo);
  const newest = sameRepo.toSorted((left, right) => compareVersions(right.spec.version, left.spec.version))[0];
  if (!newest) return;
  // After the history was rewritten, the code host has no comparison with a commit from before.
  const isOlder = await host.isAncestor(repo, commit, newest.spec.commit).catch(ignoreNotFound);
  if (isOlder !== true) return;
  throw new ServiceError(
    'commit-already-released',
    `The commit ${commit} is already part of the Release "${newest.metadata.name}".`,
  );
}

async function createRelease(store: Store, input: OpenReleaseInput, version: string): Promise<Release> {
  const { org, product, repo, commit, run, startedBy, workflowId } = input;
  const owner = await store.get(ProductKind, { namespace: orgNamespace(org), name: product });
  return await store.create(ReleaseKind, {
    metadata: {
      namespace: orgNamespace(org),
      name: `${product}-${version}`,
      labels: run === undefined ? {} : { [runLabel]: run },
      annotations: { [workflowIdAnnotation]: workflowId },
      ownerReferences: [ownerReference(owner)],
    },
    spec: { product, repo, commit, version, startedBy, ...(run === undefined ? {} : { run }) },
  });
}

/** Lists the messages since the newest version of the repo. A Release that is being built, or failed, has no tag. */
async function listCommitMessages(
  host: OrgCodehost,
  { repo, commit }: OpenReleaseInput,
  { tags, releases }: { tags: readonly VersionTag[]; releases: Release[] },
): Promise<string[]> {
  const ofRepo = releases.filter(({ spec }) => spec.repo === repo);
  const refs = new Map(ofRepo.map(({ spec }) => [spec.version, spec.commit]));
  for (const { name } of tags) refs.set(name, name);
  const newest = [...refs.keys()].toSorted(compareVersions).at(-1);
  const base = newest === undefined ? undefined : refs.get(newest);
  if (base === undefined) return [];
  const commits = await host.listCommitsBetween(repo, base, commit).catch(ignoreNotFound);
  return (commits ?? []).map(({ message }) => message);
}
