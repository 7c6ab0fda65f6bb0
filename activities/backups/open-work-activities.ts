import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { type OpenZone, toOpenZone } from '../../src/rules/backups/to-open-zone.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { createdByAnnotation } from '../../src/rules/products/source.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { isDeleting, orgNamespace, systemNamespace, toOrgName } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import type { Store } from '../../src/store/store.ts';
import type { RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import type { ScaffoldProductInput } from '../../workflows/products/messages.ts';
import type { PromoteReleaseInput } from '../../workflows/releases/messages.ts';

type OpenRun = Pick<RunAgentWorkflowInput, 'agentWorkflow' | 'product' | 'target' | 'release' | 'startedBy' | 'cause'>;

/** The work of one org that its resources show as unfinished, as the inputs of workflows. */
export type OrgWork = {
  isDeleting: boolean;
  hasCodehost: boolean;
  hasSlos: boolean;
  zones: OpenZone[];
  releases: Omit<PromoteReleaseInput, 'org'>[];
  runs: (OpenRun & { run: string; workflowId: string })[];
  scaffolds: Omit<ScaffoldProductInput, 'org'>[];
  deletedProducts: string[];
  schedules: string[];
};

export const createOpenWorkActivities = ({ store }: { store: Store }) => ({
  listRestoredOrgs: async (): Promise<string[]> => {
    const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
    return items.map(({ metadata }) => metadata.name);
  },

  /** Lists the names that orgs claim, each with all of these orgs, because one loop decides all claims to a name. */
  listClaimedDomains: async (): Promise<{ domain: string; orgs: string[] }[]> => {
    const { items } = await store.list(DomainKind);
    const byName = Map.groupBy(items, ({ spec }) => spec.name);
    return [...byName].map(([domain, claims]) => ({
      domain,
      orgs: claims.map(({ metadata }) => toOrgName(metadata.namespace)),
    }));
  },

  listOpenWork: async ({ org }: { org: string }): Promise<OrgWork> => {
    const namespace = orgNamespace(org);
    const list = async <T>(read: Promise<{ items: T[] }>): Promise<T[]> => (await read).items;
    const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
    const products = await list(store.list(ProductKind, { namespace }));
    const promotions = await list(store.list(PromotionKind, { namespace }));
    const releases = await list(store.list(ReleaseKind, { namespace }));
    const runs = await list(store.list(AgentWorkflowRunKind, { namespace }));
    const agentWorkflows = await list(store.list(AgentWorkflowKind, { namespace }));
    return {
      isDeleting: organization !== undefined && isDeleting(organization),
      hasCodehost: (await store.find(SecretKind, { namespace, name: 'codehost-app' })) !== undefined,
      hasSlos: products.some(({ spec, status }) => (spec.slos ?? []).length > 0 || status?.observability !== undefined),
      zones: products.flatMap((product) =>
        listZones(product).map((zone) => toOpenZone(product, zone, { promotions, releases })),
      ),
      releases: releases.filter(isOpenRelease).map(toReleaseInput),
      runs: runs.filter(isOpenRun).map(toRunInput),
      scaffolds: products.flatMap(toScaffolds),
      deletedProducts: products.filter(isProductDeleting).map(({ metadata }) => metadata.name),
      schedules: agentWorkflows.filter(({ spec }) => isScheduled(spec)).map(({ metadata }) => metadata.name),
    };
  },
});

const listZones = ({ spec, status }: Product): string[] => [
  ...new Set([...spec.delivery.zones, ...(status?.zones ?? [])].map(({ name }) => name)),
];

const isOpenRun = ({ status }: AgentWorkflowRun): boolean => !status || !isTerminalRunPhase(status.phase);

function toRunInput({ metadata, spec }: AgentWorkflowRun): OrgWork['runs'][number] {
  const { agentWorkflow, product, target, release, startedBy, cause } = spec;
  return {
    run: metadata.name,
    workflowId: metadata.annotations?.[workflowIdAnnotation] ?? '',
    agentWorkflow,
    product,
    startedBy,
    ...(target && { target }),
    ...(release && { release: { name: release.name, version: release.version } }),
    ...(cause && { cause }),
  };
}

const openReleasePhases: readonly string[] = ['Building', 'Tagging', 'Promoting'];
const isOpenRelease = ({ status }: Release): boolean => !status || openReleasePhases.includes(status.phase);

function toReleaseInput({ metadata, spec, status }: Release): OrgWork['releases'][number] {
  const { product, repo, commit, run } = spec;
  const startedBy = status?.startedBy ?? spec.startedBy;
  // A Release without a status was not opened completely, and starts from its beginning.
  const resume = status && { resume: { release: metadata.name } };
  return { product, repo, commit, startedBy, ...(run !== undefined && { run }), ...resume };
}

function toScaffolds({ metadata, spec, status }: Product): OrgWork['scaffolds'] {
  const phase = status?.scaffold?.phase;
  if (!spec.source || phase === 'Succeeded' || phase === 'Failed') return [];
  return [{ product: metadata.name, uid: metadata.uid, by: metadata.annotations?.[createdByAnnotation] ?? 'kubectl' }];
}
