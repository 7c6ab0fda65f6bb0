import { createRoute, z } from '@hono/zod-openapi';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { GitopsSummary, summarizeGitops } from '../../src/rules/environments/gitops-summary.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { listClusterNames } from '../../src/reconcile/list-cluster-names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, App } from '../deps.ts';
import { mayAdminister } from '../../src/rules/access/roles.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkMetrics } from './check-metrics.ts';

const countedKinds: Kind<StoredObject>[] = [OrganizationKind, ProductKind, AgentWorkflowRunKind, ReleaseKind];

const StatusView = z
  .object({
    kind: z.literal('Installation').describe('Kind of the resource.'),
    name: z.string().describe('Host name of the installation.'),
    version: z.string().describe('Version of the service.'),
    store: z.object({ reachable: z.boolean().describe('Whether the store responds.') }).describe('State of the store.'),
    workflows: z
      .object({ reachable: z.boolean().describe('Whether the workflow server responds.') })
      .describe('State of the workflow server.'),
    managementCluster: z
      .object({
        name: z.literal('in-cluster').describe('Name of the cluster in the deployment controller.'),
        reachable: z.boolean().describe('Whether the cluster responds.'),
        workloadClusters: z
          .array(
            z.object({
              name: z.string().describe('Name of the workload cluster.'),
              readable: z.boolean().describe('Whether the service can read the zones of the cluster.'),
            }),
          )
          .describe('Clusters that it deploys zones to, besides itself.'),
      })
      .describe('Cluster that holds the store and the deployment controller.'),
    metrics: z
      .object({
        reachable: z.boolean().describe('Whether Prometheus and Alertmanager respond.'),
        message: z.string().optional().describe('Why they cannot be used, in words; absent if they respond.'),
      })
      .describe('State of the metrics servers, which zones run without.'),
    domains: z
      .object({
        platformDomain: z
          .string()
          .optional()
          .describe('Domain of the default addresses of zones; absent if these follow another pattern.'),
        managedRoots: z
          .array(z.string())
          .describe('Domains under which orgs can claim managed domains. If empty, there are no managed domains.'),
      })
      .describe('Domains of the installation.'),
    resources: z
      .record(z.string(), z.int())
      .optional()
      .describe('Number of resources of all orgs, by kind; only for platform admins.'),
    gitops: z
      .array(z.object(GitopsSummary.shape).openapi('GitopsSummary'))
      .optional()
      .describe('GitOps repos of all orgs; only for platform admins.'),
    message: z.string().describe('State of the installation in words.'),
  })
  .openapi('Installation');

const route = createRoute({
  operationId: 'getStatus',
  method: 'get',
  path: '/v1/status',
  tags: ['Installation'],
  summary: 'Get installation status',
  description:
    'Returns the version and the reachability of the store, the workflow server, the metrics servers and the management cluster, which deploys to the workload clusters, and the domains of the installation. Platform admins also get the GitOps repos and the number of resources of all orgs.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The installation status', StatusView), ...problems(401) },
});

/** A dependency on a busy machine responds late; one that is unavailable does not respond at all. */
const timeoutMs = 3_000;

export function getStatus(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const [health, metrics] = await Promise.all([
      checkDependencies(deps, timeoutMs),
      checkMetrics(deps.monitoring, timeoutMs),
    ]);
    const message = health.workflows
      ? 'All dependencies are reachable.'
      : 'The workflow server cannot be reached. Reads are current; runs, Releases and promotions are paused until it returns.';
    return c.json(
      {
        kind: 'Installation' as const,
        name: new URL(deps.config.publicUrl).host,
        version: deps.config.version,
        store: { reachable: health.store },
        workflows: { reachable: health.workflows },
        managementCluster: await toManagementCluster(deps, health.store),
        metrics,
        domains: await toDomains(deps, health.store),
        ...(mayAdminister(c.get('caller')) && (await readAllOrgs(deps))),
        message,
      },
      200,
    );
  });
}

/** The management cluster holds the store, and its deployment controller knows it as "in-cluster". */
async function toManagementCluster(deps: ApiDeps, reachable: boolean) {
  // Without the store, only the clusters of the operator are known, and no credentials.
  const names = reachable
    ? await listClusterNames({ ...deps, store: cachedReads(deps.store) })
    : (deps.config.workloadClusters ?? []);
  const toReadable = async (name: string): Promise<boolean> =>
    reachable && (await deps.workloadClusters.find(name)) !== undefined;
  const workloadClusters = names.map(async (name) => ({ name, readable: await toReadable(name) }));
  return { name: 'in-cluster' as const, reachable, workloadClusters: await Promise.all(workloadClusters) };
}

/** Without the store, only the first values are known. */
async function toDomains({ store, config }: ApiDeps, reachable: boolean) {
  const { platformDomain, managedBaseDomains } = reachable
    ? await readDomainSettings(cachedReads(store), config.domains)
    : config.domains;
  return { ...(platformDomain !== undefined && { platformDomain }), managedRoots: [...managedBaseDomains] };
}

async function readAllOrgs({ store }: ApiDeps) {
  const reads = cachedReads(store);
  const [resources, orgs, products] = await Promise.all([
    countResources(reads),
    reads.list(OrganizationKind),
    reads.list(ProductKind),
  ]);
  return { resources, gitops: summarizeGitops(orgs.items, products.items) };
}

async function countResources(reads: Store): Promise<Record<string, number>> {
  const entries = countedKinds.map(async (kind) => [kind.plural, (await reads.list(kind)).items.length] as const);
  return Object.fromEntries(await Promise.all(entries));
}
