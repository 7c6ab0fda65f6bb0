import { setTimeout as sleep } from 'node:timers/promises';
import type { ReconcileDeps } from '../../reconcile/deps.ts';
import { reconcileAccessGroup } from '../../reconcile/reconcile-access-group.ts';
import { reconcileAgentRole } from '../../reconcile/reconcile-agent-role.ts';
import { reconcileCloudAccount } from '../../reconcile/reconcile-cloud-account.ts';
import { reconcileCluster } from '../../reconcile/reconcile-cluster.ts';
import { reconcileIdentityProvider } from '../../reconcile/reconcile-identity-provider.ts';
import { reconcileInstallation } from '../../reconcile/reconcile-installation.ts';
import { reconcileOrganization } from '../../reconcile/reconcile-organization.ts';
import { reconcileUser } from '../../reconcile/reconcile-user.ts';
import { recordKinds } from '../../reconcile/record-kinds.ts';
import { AccessGroupKind, UserKind } from '../../rules/access/kinds.ts';
import { reconcileAgentWorkflow } from '../../reconcile/reconcile-agent-workflow.ts';
import { reconcileProduct } from '../../reconcile/reconcile-product.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { IdentityProviderKind } from '../../rules/access/identity-provider.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../rules/agents/kinds.ts';
import { CloudAccountKind } from '../../rules/cloud-accounts/kinds.ts';
import { ClusterKind } from '../../rules/clusters/kinds.ts';
import { InstallationKind } from '../../rules/installation/kinds.ts';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { ProductKind } from '../../rules/products/kinds.ts';
import { DomainKind } from '../../rules/domains/kinds.ts';
import { orgNamespace, type Kind, type StoredObject } from '../../rules/resource.ts';
import { isBeingApplied, isReconciled } from '../../rules/conditions.ts';
import { cachedReads } from '../../store/cached-reads.ts';
import { findActiveRestore } from '../../store/find-active-restore.ts';
import { isServiceNamespace } from '../../store/kubernetes/namespaces.ts';
import { listAndWatch } from '../../store/list-and-watch.ts';
import type { Ref } from '../../store/store.ts';

type ReconcilerDeps = ReconcileDeps & Pick<ApiDeps, 'log'>;

type Intervals = {
  /** The delay between attempts while a dependency is unavailable. */
  retryDelayMs: number;
  /** The delay until an object is read and reconciled again whose attempts have all failed, or that is being applied. */
  laterDelayMs: number;
};
const defaultIntervals: Intervals = { retryDelayMs: 2_000, laterDelayMs: 60_000 };
const maxAttempts = 5;

/**
 * Reconciles resources that were written without the API, such as with kubectl. Every replica reconciles every
 * resource, because reservations, starts and conditions are idempotent and no leader is needed. A resource that was
 * not accepted is reconciled again when something in its org changes, or a cluster or a shared domain that all orgs can
 * use. Nothing is reconciled while a restore writes, and nothing in a namespace that is not of the service.
 */
export function runReconciler(
  deps: ReconcilerDeps,
  signal: AbortSignal,
  intervals: Intervals = defaultIntervals,
): Promise<unknown> {
  const watch = <T extends StoredObject>(
    kind: Kind<T>,
    reconcile: (deps: ReconcilerDeps, object: T) => Promise<void>,
  ) => watchKind(deps, kind, { signal, ...intervals, reconcile: async (object) => await reconcile(deps, object) });
  const reconcileDependents = async (_: ReconcilerDeps, { metadata }: StoredObject): Promise<void> =>
    await reconcileNotAccepted(deps, metadata.namespace);
  const { run, release, promotion, incident, domain, token, delivery, ledger, backup, restore } = recordKinds;
  return Promise.all([
    watch(ProductKind, reconcileProduct),
    watch(AgentWorkflowKind, reconcileAgentWorkflow),
    watch(AgentRoleKind, reconcileAgentRole),
    watch(AccessGroupKind, reconcileAccessGroup),
    watch(OrganizationKind, reconcileOrganization),
    watch(UserKind, reconcileUser),
    watch(IdentityProviderKind, reconcileIdentityProvider),
    watch(CloudAccountKind, reconcileCloudAccount),
    watch(ClusterKind, reconcileCluster),
    watch(InstallationKind, reconcileInstallation),
    watch(run.kind, run.reject),
    watch(release.kind, release.reject),
    watch(promotion.kind, promotion.reject),
    watch(incident.kind, incident.reject),
    watch(domain.kind, domain.reject),
    watch(token.kind, token.reject),
    watch(delivery.kind, delivery.reject),
    watch(ledger.kind, ledger.reject),
    watch(backup.kind, backup.reject),
    watch(restore.kind, restore.reject),
    watch(AgentRoleKind, reconcileDependents),
    watch(DomainKind, async (_, { metadata, spec }) =>
      reconcileNotAccepted(deps, spec.shared ? undefined : metadata.namespace),
    ),
    watch(ClusterKind, async () => await reconcileNotAccepted(deps)),
    watch(ProductKind, reconcileDependents),
    watch(OrganizationKind, async (_, { metadata }) => await reconcileNotAccepted(deps, orgNamespace(metadata.name))),
  ]);
}

/** Without a namespace, it reconciles those of all orgs. */
async function reconcileNotAccepted(deps: ReconcilerDeps, namespace?: string): Promise<void> {
  const isOfOrg = ({ metadata }: StoredObject): boolean => metadata.namespace.startsWith(orgNamespace(''));
  const reconcileAll = async <T extends StoredObject>(
    kind: Kind<T>,
    reconcile: (deps: ReconcilerDeps, object: T) => Promise<void>,
  ): Promise<void> => {
    const { items } = await cachedReads(deps.store).list(kind, namespace === undefined ? {} : { namespace });
    for (const object of items) if (isOfOrg(object) && !isReconciled(object)) await reconcile(deps, object);
  };
  await reconcileAll(ProductKind, reconcileProduct);
  await reconcileAll(AgentWorkflowKind, reconcileAgentWorkflow);
  await reconcileAll(AgentRoleKind, reconcileAgentRole);
  await reconcileAll(AccessGroupKind, reconcileAccessGroup);
  await reconcileAll(CloudAccountKind, reconcileCloudAccount);
}

type KindWatcher<T> = Intervals & { signal: AbortSignal; reconcile: (object: T) => Promise<void> };

/** Reconciles every object of a kind, then each change, one at a time; later again what could not be reconciled. */
async function watchKind<T extends StoredObject>(
  { store, log }: ReconcilerDeps,
  kind: Kind<T>,
  { signal, reconcile, retryDelayMs, laterDelayMs }: KindWatcher<T>,
): Promise<void> {
  const delay = async (ms = retryDelayMs): Promise<void> =>
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  const later = new Map<string, Ref>();
  const postpone = ({ namespace, name }: Ref): void => void later.set(`${namespace}/${name}`, { namespace, name });
  const reconcileWithRetry = async (object: T): Promise<void> => {
    // The end of another namespace's name could be that of an org, and the service may not write there.
    if (!isServiceNamespace(object.metadata.namespace)) return;
    for (let attempt = 1; !signal.aborted; attempt += 1)
      try {
        while (!signal.aborted && (await findActiveRestore(cachedReads(store)))) await delay();
        await reconcile(object);
        // The process that applies it may end before it has.
        if (isBeingApplied(object)) postpone(object.metadata);
        return;
      } catch (error) {
        log.warn({ error: String(error), kind: kind.kind, name: object.metadata.name, attempt }, 'reconcile failed');
        if (attempt === maxAttempts) return postpone(object.metadata);
        await delay();
      }
  };
  /** No event says that an outage has ended, or that a process has. */
  const reconcilePostponed = async (): Promise<void> => {
    for (await delay(laterDelayMs); !signal.aborted; await delay(laterDelayMs)) {
      const refs = [...later.values()];
      later.clear();
      for (const ref of refs) {
        const object = await store.find(kind, ref).catch(() => postpone(ref));
        if (object) await reconcileWithRetry(object);
      }
    }
  };
  const retrying = reconcilePostponed();
  while (!signal.aborted) {
    try {
      const list = () => cachedReads(store).list(kind);
      const watch = (resourceVersion: string) => store.watch(kind, { resourceVersion, signal });
      for await (const event of listAndWatch({ signal, list, watch }))
        if (event.type === 'LISTED') for (const item of event.items) await reconcileWithRetry(item);
        else if (event.type !== 'DELETED') await reconcileWithRetry(event.object);
    } catch (error) {
      log.warn({ error: String(error), kind: kind.kind }, 'resync');
    }
    await delay();
  }
  await retrying;
}
