import type { z } from '@hono/zod-openapi';
import { runActions } from '../../src/rules/access/run-actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { changeStrip } from '../../src/rules/changes/change-strip.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { runLabel } from '../../src/rules/changes/run-names.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { viewOf } from '../views.ts';
import type { RunItem, RunView } from './schemas.ts';

type Viewer = { org: string; role: OrgRole | undefined };

/** A run as a person sees it: with its strip, which goes on into the Release that its merge started. */
export async function runView(
  store: Store,
  run: AgentWorkflowRun,
  { org, role }: Viewer,
): Promise<z.infer<typeof RunView>> {
  const [ofRun, product] = await Promise.all([
    releasesOf(store, run),
    store.find(ProductKind, { namespace: orgNamespace(org), name: run.spec.product }),
  ]);
  const release = ofRun.at(-1);
  const zones = product?.spec.delivery.zones.map(({ name }) => name) ?? [];
  const view = { ...viewOf(run, org, runActions(run, role)), strip: changeStrip(run, release, zones) };
  return release ? { ...view, release: release.metadata.name } : view;
}

/** A run among others: without what would make a page of them long. */
export async function runItem(store: Store, run: AgentWorkflowRun, viewer: Viewer): Promise<z.infer<typeof RunItem>> {
  const { spec, status, ...view } = await runView(store, run, viewer);
  const { instructions: _instructions, steps: _steps, roles: _roles, limits: _limits, ...brief } = spec;
  if (!status) return { ...view, spec: brief };
  return {
    ...view,
    spec: brief,
    status: { ...status, steps: status.steps.map(({ name, phase }) => ({ name, phase })) },
  };
}

/** The Releases of a run's merge, the oldest first: the same commit may be released again. */
export async function releasesOf(store: Store, { metadata, status }: AgentWorkflowRun): Promise<Release[]> {
  if (status?.mergeCommit === undefined) return [];
  const { items } = await store.list(ReleaseKind, {
    namespace: metadata.namespace,
    labels: { [runLabel]: metadata.name },
  });
  return items.toSorted((one, other) => one.metadata.creationTimestamp.localeCompare(other.metadata.creationTimestamp));
}

export const runRef = ({ org, run }: { org: string; run: string }) => ({ namespace: orgNamespace(org), name: run });

export const getRunOf = async (store: Store, ref: { org: string; run: string }): Promise<AgentWorkflowRun> =>
  store.get(AgentWorkflowRunKind, runRef(ref));

/** Views of runs change with their Releases: tells which run one is of. */
export const releasesOfRuns = (store: Store, org: string, only?: string) => ({
  kind: ReleaseKind,
  namespace: orgNamespace(org),
  concerns: async ({ metadata }: Pick<Release, 'metadata'>): Promise<AgentWorkflowRun | undefined> => {
    const run = metadata.labels?.[runLabel];
    if (run === undefined || (only !== undefined && run !== only)) return undefined;
    return store.find(AgentWorkflowRunKind, runRef({ org, run }));
  },
});
