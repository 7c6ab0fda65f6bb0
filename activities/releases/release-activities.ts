import { Context } from '@temporalio/activity';
import { ServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import type { Registries } from '../../src/integrations/registries/registries.ts';
import { BuildRunKind } from '../../src/kinds/shipwright.ts';
import { AgentWorkflowKind, type TriggerSpec } from '../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import type { NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import type { Quotas } from '../../src/rules/quotas.ts';
import type { InstallationImages } from '../../src/rules/registries/image-registry.ts';
import { type Release, ReleaseKind, type ReleaseStatus, type ZonePhase } from '../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, restartRelease } from '../../src/rules/releases/release-status.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import { reserveRuns } from '../../src/store/reserve-runs.ts';
import type { Store } from '../../src/store/store.ts';
import { cloneSecretName, repoAnnotation, saveCloneSecret } from '../codehost/git-credentials.ts';
import { getOrCreate } from '../get-or-create.ts';
import { waitForObject } from '../wait-for-object.ts';
import { explainPushFailure, prepareDestination } from './build-destination.ts';
import { type BuildOutcome, cancelBuilds, toBuildName, toBuildOutcome, toRepository } from './builds.ts';
import { isolateBuilds, toBuildAccount } from './isolate-builds.ts';
import { createNextRelease, findReleaseByCommit, type OpenReleaseInput } from './create-release.ts';

export type ReleaseDeps = InstallationImages & {
  store: Store;
  codehost: Codehost;
  /** The ClusterBuildStrategy of builds. */
  buildStrategy: string;
  registries: Registries;
  network: NetworkSettings;
  quotas: Quotas;
  /** Absent if a registry holds the images. */
  isImageDeleted?: (digest: string) => Promise<boolean>;
  now: () => Date;
};

export type { BuildOutcome } from './builds.ts';
export type { OpenReleaseInput } from './create-release.ts';
export type OpenedRelease = { release: string; version: string; uid: string; zones: string[] };
export type ReopenedRelease = OpenedRelease & { finishedZones: { name: string; phase: ZonePhase }[]; digest?: string };

/** Starting again resets the zones, and with them who approved what that runs in production. */
function assertRestartable({ metadata, status }: Release): void {
  if (status?.phase === 'Succeeded')
    throw new ServiceError(
      'commit-already-released',
      `The Release "${metadata.name}" of this commit has succeeded. Promote it to a zone instead.`,
    );
}

type ReleaseRef = { org: string; release: string };

export function createReleaseActivities(deps: ReleaseDeps) {
  const { store, codehost, buildStrategy, network, now } = deps;
  const toRef = ({ org, release }: ReleaseRef) => ({ namespace: orgNamespace(org), name: release });
  const getRelease = async (ref: ReleaseRef): Promise<Release> => await store.get(ReleaseKind, toRef(ref));

  return {
    /** Reserves a version by creating the Release of that name; a commit that has a Release keeps its version. */
    openRelease: async (input: OpenReleaseInput): Promise<OpenedRelease> => {
      const namespace = orgNamespace(input.org);
      const product = await store.get(ProductKind, { namespace, name: input.product });
      const zones = product.spec.delivery.zones.map(({ name }) => name);
      const release =
        (await findReleaseByCommit(store, input)) ??
        (await createNextRelease(store, await codehost.forOrg(input.org), input));
      const { name, uid } = release.metadata;
      if (input.version !== undefined && input.version !== release.spec.version)
        throw new ServiceError(
          'commit-already-released',
          `The commit ${input.commit} is already released as ${release.spec.version}.`,
        );
      assertRestartable(release);
      const initial: ReleaseStatus = {
        phase: 'Building',
        startedBy: input.startedBy,
        startedAt: now().toISOString(),
        zones: zones.map((zone) => ({ name: zone, phase: 'Pending' })),
      };
      await store.updateStatus(ReleaseKind, { namespace, name }, ({ status }) => restartRelease(status, initial));
      return { release: name, version: release.spec.version, uid, zones };
    },

    /** Returns what a Release has reached by its status. Its image counts only while it can still be deployed. */
    reopenRelease: async (ref: ReleaseRef): Promise<ReopenedRelease> => {
      const { metadata, spec, status } = await getRelease(ref);
      const zones = status?.zones ?? [];
      const digest = status?.digest;
      const isBuilt = digest !== undefined && !(await deps.isImageDeleted?.(digest));
      return {
        release: metadata.name,
        version: spec.version,
        uid: metadata.uid,
        zones: zones.map(({ name }) => name),
        finishedZones: zones.flatMap(({ name, phase }) => (isTerminalZonePhase(phase) ? [{ name, phase }] : [])),
        ...(isBuilt && { digest }),
      };
    },

    /** Updates the status of the Release; a cancelled Release cancels its builds too. */
    recordRelease: async ({
      patch,
      ...ref
    }: ReleaseRef & { patch: Partial<Omit<ReleaseStatus, 'zones'>> }): Promise<void> => {
      const release = await store.updateStatus(
        ReleaseKind,
        toRef(ref),
        ({ status }) => status && { ...status, ...patch },
      );
      if (patch.phase === 'Cancelled') await cancelBuilds(store, release);
    },

    /** Creates one build per attempt and waits for its outcome. */
    buildImage: async ({ attempt, ...ref }: ReleaseRef & { attempt: string }): Promise<BuildOutcome> => {
      const { org } = ref;
      const release = await getRelease(ref);
      const { repo, commit, product, version } = release.spec;
      const host = await codehost.forOrg(org);
      const { cloneUrl } = await host.getRepository(repo);
      const buildRef = { namespace: orgNamespace(org), name: toBuildName(ref.release, attempt) };
      await isolateBuilds(store, org, network);
      await saveCloneSecret(store, host, { org, repo });
      let build = await store.find(BuildRunKind, buildRef);
      if (!build) {
        const destination = await prepareDestination(deps, { org, product });
        if ('outcome' in destination) return destination;
        const { repository, ...pushSecret } = destination;
        build = await getOrCreate(store, BuildRunKind, {
          metadata: {
            ...buildRef,
            annotations: { [repoAnnotation]: repo },
            ownerReferences: [ownerReference(release)],
          },
          spec: {
            serviceAccount: toBuildAccount(destination.pushSecret),
            build: {
              spec: {
                source: { type: 'Git', git: { url: cloneUrl, revision: commit, cloneSecret: cloneSecretName(repo) } },
                strategy: { name: buildStrategy, kind: 'ClusterBuildStrategy' },
                output: { image: `${repository}:${version}`, ...pushSecret },
              },
            },
          },
        });
      }
      const imageRepository = toRepository(build);
      const current = await store.updateStatus(
        ReleaseKind,
        toRef(ref),
        ({ status }) => status && { ...status, imageRepository },
      );
      // The Release may have been cancelled while the build was created.
      if (current.status?.phase === 'Cancelled') await cancelBuilds(store, current);
      const outcome = await waitForObject(store, BuildRunKind, {
        ...buildRef,
        signal: Context.current().cancellationSignal,
        judge: toBuildOutcome,
        // The next attempt creates the build again, unless the Release is deleted, too.
        onMissing: () => Promise.reject(new Error(`The build "${buildRef.name}" was deleted.`)),
      });
      if (outcome.outcome === 'built') return outcome;
      return (await explainPushFailure(deps, { org, product })) ?? outcome;
    },

    /** Lists the AgentWorkflows that the tag of a Release triggers, without those that it has already started. */
    findReleaseTriggers: async (ref: ReleaseRef): Promise<string[]> => {
      const namespace = orgNamespace(ref.org);
      const { items } = await store.list(AgentWorkflowKind, { namespace });
      const isReleaseTrigger = (trigger: TriggerSpec): boolean =>
        trigger.type === 'event' && trigger.event === 'release.cut';
      const triggered = items.filter(
        (workflow) => workflow.spec.enabled && !isRejected(workflow) && workflow.spec.triggers.some(isReleaseTrigger),
      );
      const release = triggered.length === 0 ? undefined : await store.find(ReleaseKind, toRef(ref));
      // The Release may have been deleted while its runs waited.
      if (!release) return [];
      const { spec, status } = release;
      // A restored Release may have started runs that its status does not show yet.
      const fields = { 'spec.product': spec.product };
      const { items: runs } = await store.list(AgentWorkflowRunKind, { namespace, fields });
      const ownRuns = runs.flatMap((run) => (run.spec.release?.name === ref.release ? [run.spec] : []));
      const started = new Set([...(status?.cutRuns ?? []), ...ownRuns].map(({ agentWorkflow }) => agentWorkflow));
      return triggered.map(({ metadata }) => metadata.name).filter((name) => !started.has(name));
    },

    /** Returns how many of the runs may start within the quota of the org, in the order given. */
    reserveReleaseRuns: async ({ org, workflowIds }: { org: string; workflowIds: string[] }): Promise<number> =>
      await reserveRuns(store, { org, quota: deps.quotas.runsPerOrg, workflowIds, now: now() }),

    recordReleaseRun: async ({
      releaseRun,
      ...ref
    }: ReleaseRef & { releaseRun: { agentWorkflow: string; run: string } }): Promise<void> => {
      await store.updateStatus(ReleaseKind, toRef(ref), ({ status }) => {
        const existing = status?.cutRuns ?? [];
        if (!status || existing.some(({ run }) => run === releaseRun.run)) return status;
        return { ...status, cutRuns: [...existing, releaseRun] };
      });
    },

    /** Creates the tag and then the code host release, unless they already exist. */
    tagRelease: async (ref: ReleaseRef): Promise<{ url: string }> => {
      const { spec } = await getRelease(ref);
      const host = await codehost.forOrg(ref.org);
      await host.ensureTag(spec.repo, { name: spec.version, commit: spec.commit });
      const { message } = await host.getCommit(spec.repo, spec.commit);
      return await host.ensureRelease(spec.repo, { tag: spec.version, title: spec.version, body: message });
    },
  };
}
