import type { z } from '@hono/zod-openapi';
import { runActions } from '../../src/rules/access/run-actions.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { toProgressStages } from '../../src/rules/changes/progress-stages.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { listStepLinks } from '../../src/rules/changes/step-links.ts';
import { runLabel } from '../../src/rules/changes/run-names.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { Viewer } from '../auth/viewer.ts';
import { toView } from '../http/views.ts';
import { findSelfApproval } from '../orgs/find-self-approval.ts';
import { findRunContributors } from '../releases/find-contributors.ts';
import type { RunSummaryView, RunView } from './schemas.ts';

/** Builds the view of a run; its progress includes the stages of the Release that its merge started. */
export async function buildRunView(
  store: Store,
  run: AgentWorkflowRun,
  viewer: Viewer,
): Promise<z.infer<typeof RunView>> {
  const { org, role } = viewer;
  const isWaiting = run.status?.steps.some(({ phase }) => phase === 'Waiting') ?? false;
  const [releases, product, selfApproval] = await Promise.all([
    listRunReleases(store, run),
    store.find(ProductKind, { namespace: orgNamespace(org), name: run.spec.product }),
    isWaiting ? findSelfApproval(store, viewer, () => findRunContributors(store, org, run)) : undefined,
  ]);
  const release = releases.at(-1);
  const zones = product?.spec.delivery.zones.map(({ name }) => name) ?? [];
  const { status, ...summary } = toView(run, org, runActions(run, role, selfApproval));
  const steps = status?.steps.map((step) => ({ ...step, links: listStepLinks(run, step, release) })) ?? [];
  const view = {
    ...summary,
    ...(status && { status: { ...status, steps } }),
    progress: toProgressStages(run, release, zones),
  };
  return release ? { ...view, release: release.metadata.name } : view;
}

/** Builds the view of a run in a list; long fields are omitted to keep pages small. */
export async function buildRunSummaryView(
  store: Store,
  run: AgentWorkflowRun,
  viewer: Viewer,
): Promise<z.infer<typeof RunSummaryView>> {
  const { spec, status, ...view } = await buildRunView(store, run, viewer);
  const { instructions: _instructions, steps: _steps, roles: _roles, limits: _limits, ...summary } = spec;
  if (!status) return { ...view, spec: summary };
  const { decisions: _decisions, ...summaryStatus } = status;
  return {
    ...view,
    spec: summary,
    status: { ...summaryStatus, steps: status.steps.map(({ name, phase }) => ({ name, phase })) },
  };
}

/** Returns the Releases of the run's merge commit, oldest first: a commit may be released more than once. */
export async function listRunReleases(store: Store, { metadata, status }: AgentWorkflowRun): Promise<Release[]> {
  if (status?.mergeCommit === undefined) return [];
  const { items } = await store.list(ReleaseKind, {
    namespace: metadata.namespace,
    labels: { [runLabel]: metadata.name },
  });
  return items.toSorted((first, second) =>
    first.metadata.creationTimestamp.localeCompare(second.metadata.creationTimestamp),
  );
}

export const runRef = ({ org, run }: { org: string; run: string }) => ({ namespace: orgNamespace(org), name: run });

export const getRunByName = async (store: Store, ref: { org: string; run: string }): Promise<AgentWorkflowRun> =>
  store.get(AgentWorkflowRunKind, runRef(ref));

/** The view of a run changes when one of its Releases changes. */
export const relatedReleases = (store: Store, org: string, only?: string) => ({
  kind: ReleaseKind,
  namespace: orgNamespace(org),
  findAffected: async ({ metadata }: Pick<Release, 'metadata'>): Promise<AgentWorkflowRun | undefined> => {
    const run = metadata.labels?.[runLabel];
    if (run === undefined || (only !== undefined && run !== only)) return undefined;
    return store.find(AgentWorkflowRunKind, runRef({ org, run }));
  },
});
