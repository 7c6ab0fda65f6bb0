import { Context } from '@temporalio/activity';
import type { Codehost, OrgCodehost } from '../src/integrations/codehost/codehost.ts';
import { ServiceError } from '../src/errors.ts';
import { AgentWorkflowKind, type TriggerSpec } from '../src/rules/agents/kinds.ts';
import { ProductKind } from '../src/rules/catalog/kinds.ts';
import { runLabel, workflowIdAnnotation } from '../src/rules/changes/run-names.ts';
import { type BuildRun, BuildRunKind } from '../src/rules/environments/delivery-kinds.ts';
import { type Release, ReleaseKind, type ReleaseStatus } from '../src/rules/releases/kinds.ts';
import { compareVersions, nextVersion } from '../src/rules/releases/next-version.ts';
import { orgNamespace, ownerReference } from '../src/rules/resource.ts';
import { isServiceError } from '../src/errors.ts';
import type { Ref, Store } from '../src/store/store.ts';
import type { PromoteReleaseInput } from '../workflows/releases/messages.ts';
import { createOrGet } from './create-or-get.ts';
import { untilSeen } from './until-seen.ts';

export type ReleaseDeps = {
  store: Store;
  codehost: Codehost;
  /** The image repository that a Product's builds go to. */
  imageRepository: (org: string, product: string) => string;
  now: () => Date;
};

export type OpenRelease = PromoteReleaseInput & { workflowId: string };
export type OpenedRelease = { release: string; version: string; zones: string[] };
export type BuildOutcome = { outcome: 'built'; digest: string } | { outcome: 'failed'; reason: string };

type ReleaseRef = { org: string; release: string };

export function createReleaseActivities({ store, codehost, imageRepository, now }: ReleaseDeps) {
  const at = async ({ org, release }: ReleaseRef): Promise<Release> =>
    await store.get(ReleaseKind, { namespace: orgNamespace(org), name: release });

  return {
    /** Takes a version by creating the Release object of that name; a commit that has a Release keeps its version. */
    openRelease: async (input: OpenRelease): Promise<OpenedRelease> => {
      const namespace = orgNamespace(input.org);
      const product = await store.get(ProductKind, { namespace, name: input.product });
      const zones = product.spec.delivery.zones.map(({ name }) => name);
      const release =
        (await releaseOf(store, input)) ?? (await takeVersion(store, await codehost.forOrg(input.org), input));
      const { name } = release.metadata;
      if (input.version !== undefined && input.version !== release.spec.version)
        throw new ServiceError(
          'conflict',
          `The commit ${input.commit} is released as ${release.spec.version} already.`,
        );
      const status: ReleaseStatus = {
        phase: 'Building',
        startedAt: now().toISOString(),
        zones: zones.map((zone) => ({ name: zone, phase: 'Pending' })),
      };
      await store.updateStatus(ReleaseKind, { namespace, name }, ({ status: before }) => {
        // A version is cut once, however often its Release is tried.
        return before?.cutRuns ? { ...status, cutRuns: before.cutRuns } : status;
      });
      return { release: name, version: release.spec.version, zones };
    },

    /** Writes how far the Release is; one that is cancelled needs its build no more. */
    recordRelease: async ({
      patch,
      ...ref
    }: ReleaseRef & { patch: Partial<Omit<ReleaseStatus, 'zones'>> }): Promise<void> => {
      const target = { namespace: orgNamespace(ref.org), name: ref.release };
      const release = await store.updateStatus(ReleaseKind, target, ({ status }) => status && { ...status, ...patch });
      if (patch.phase === 'Cancelled') await cancelBuilds(store, release);
    },

    /** Asks the builder once per attempt and waits for its word. */
    buildImage: async ({ org, release: name, attempt }: ReleaseRef & { attempt: string }): Promise<BuildOutcome> => {
      const release = await at({ org, release: name });
      const { cloneUrl } = await (await codehost.forOrg(org)).repository(release.spec.repo);
      const ref = { namespace: orgNamespace(org), name: `${name}-${attempt.slice(-8)}` };
      await createOrGet(store, BuildRunKind, {
        metadata: { ...ref, ownerReferences: [ownerReference(release)] },
        spec: {
          build: {
            spec: {
              source: { type: 'Git', git: { url: cloneUrl, revision: release.spec.commit } },
              strategy: { name: 'buildpacks', kind: 'ClusterBuildStrategy' },
              output: { image: `${imageRepository(org, release.spec.product)}:${release.spec.version}` },
            },
          },
        },
      });
      // The Release may have been cancelled while its build was asked for.
      const asItIs = await at({ org, release: name });
      if (asItIs.status?.phase === 'Cancelled') await cancelBuilds(store, asItIs);
      return await untilSeen(store, BuildRunKind, {
        ...ref,
        signal: Context.current().cancellationSignal,
        judge: buildOutcome,
      });
    },

    /** The AgentWorkflows that the tag of a Release starts, but for those that it has started before. */
    matchReleaseCut: async (ref: ReleaseRef): Promise<string[]> => {
      const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(ref.org) });
      const started = new Set((await at(ref)).status?.cutRuns?.map(({ agentWorkflow }) => agentWorkflow));
      const isCut = (trigger: TriggerSpec): boolean => trigger.type === 'event' && trigger.event === 'release.cut';
      return items
        .filter(({ metadata, spec }) => spec.enabled && spec.triggers.some(isCut) && !started.has(metadata.name))
        .map(({ metadata }) => metadata.name);
    },

    recordCutRun: async ({
      cutRun,
      ...ref
    }: ReleaseRef & { cutRun: { agentWorkflow: string; run: string } }): Promise<void> => {
      const target = { namespace: orgNamespace(ref.org), name: ref.release };
      await store.updateStatus(ReleaseKind, target, ({ status }) => {
        const before = status?.cutRuns ?? [];
        if (!status || before.some(({ run }) => run === cutRun.run)) return status;
        return { ...status, cutRuns: [...before, cutRun] };
      });
    },

    /** The tag first, then the code-host release; each is looked up before it is made. */
    tagRelease: async (ref: ReleaseRef): Promise<{ url: string }> => {
      const { spec } = await at(ref);
      const host = await codehost.forOrg(ref.org);
      await host.ensureTag(spec.repo, { name: spec.version, commit: spec.commit });
      const { message } = await host.commit(spec.repo, spec.commit);
      return await host.ensureRelease(spec.repo, { tag: spec.version, title: spec.version, body: message });
    },
  };
}

async function releaseOf(store: Store, { org, product, commit }: OpenRelease): Promise<Release | undefined> {
  const { items } = await store.list(ReleaseKind, {
    namespace: orgNamespace(org),
    fields: { 'spec.product': product, 'spec.commit': commit },
  });
  return items[0];
}

async function takeVersion(store: Store, host: OrgCodehost, input: OpenRelease): Promise<Release> {
  const namespace = orgNamespace(input.org);
  const tags = await host.versionTags(input.repo);
  const messages = await messagesSince(host, input, tags);
  for (;;) {
    const { items } = await store.list(ReleaseKind, { namespace, fields: { 'spec.product': input.product } });
    await refuseOlder(host, input, items);
    const taken = [...tags.map((tag) => tag.name), ...items.map(({ spec }) => spec.version)];
    const version =
      input.version ?? tags.find(({ commit }) => commit === input.commit)?.name ?? nextVersion(taken, messages);
    try {
      return await createRelease(store, input, version);
    } catch (error) {
      // Another Release took the name in between: the next version is tried, unless a person asked for this one.
      if (!isServiceError(error, 'conflict') || input.version !== undefined) throw error;
    }
  }
}

/**
 * A higher version must never carry older code: a commit that the newest Release holds already reaches the zones with
 * that one.
 */
async function refuseOlder(host: OrgCodehost, { repo, commit }: OpenRelease, releases: Release[]): Promise<void> {
  const ofRepo = releases.filter(({ spec }) => spec.repo === repo);
  const newest = ofRepo.toSorted((left, right) => compareVersions(right.spec.version, left.spec.version))[0];
  if (!newest || !(await host.isAncestor(repo, commit, newest.spec.commit))) return;
  throw new ServiceError('conflict', `The commit ${commit} is part of the Release "${newest.metadata.name}" already.`);
}

async function createRelease(store: Store, input: OpenRelease, version: string): Promise<Release> {
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

async function messagesSince(
  host: OrgCodehost,
  { repo, commit }: OpenRelease,
  tags: { name: string }[],
): Promise<string[]> {
  const newest = tags
    .map(({ name }) => name)
    .toSorted((left, right) => right.localeCompare(left, 'en', { numeric: true }))[0];
  if (newest === undefined) return [];
  return (await host.commitsBetween(repo, newest, commit)).map(({ message }) => message);
}

/** What is built for a cancelled Release would only hold up what is built next. */
async function cancelBuilds(store: Store, { metadata }: Release): Promise<void> {
  const { items } = await store.list(BuildRunKind, { namespace: metadata.namespace });
  const own = items.filter((build) => build.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
  for (const { metadata: ref } of own) await cancelBuild(store, ref);
}

async function cancelBuild(store: Store, ref: Ref): Promise<void> {
  const build = await store.find(BuildRunKind, ref);
  if (!build || buildOutcome(build)) return;
  try {
    await store.replace(BuildRunKind, { ...build, spec: { ...build.spec, state: 'BuildRunCanceled' } });
  } catch (error) {
    // The builder wrote how far it is in between.
    if (!isServiceError(error, 'conflict')) throw error;
    await cancelBuild(store, ref);
  }
}

function buildOutcome({ status }: BuildRun): BuildOutcome | undefined {
  const succeeded = status?.conditions?.find(({ type }) => type === 'Succeeded');
  if (succeeded?.status === 'True' && status?.output?.digest) return { outcome: 'built', digest: status.output.digest };
  if (succeeded?.status !== 'False') return undefined;
  const reason =
    status?.failureDetails?.message ?? succeeded.message ?? succeeded.reason ?? 'the builder gave no reason';
  return { outcome: 'failed', reason };
}
