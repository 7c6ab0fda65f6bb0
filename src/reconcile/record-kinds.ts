import { ApiTokenKind } from '../rules/access/kinds.ts';
import { TurnLedgerKind } from '../rules/agents/ledger-kinds.ts';
import { BackupKind, RestoreKind } from '../rules/backups/kinds.ts';
import { AgentWorkflowRunKind } from '../rules/changes/kinds.ts';
import { isCreatedByService, withAcceptedCondition, type Condition } from '../rules/conditions.ts';
import { DomainKind } from '../rules/domains/kinds.ts';
import { IncidentKind } from '../rules/incidents/kinds.ts';
import { DeliveryKind } from '../rules/intake/kinds.ts';
import { PromotionKind } from '../rules/promotions/kinds.ts';
import { ReleaseKind } from '../rules/releases/kinds.ts';
import { isDeleting, type Resource, type ResourceKind } from '../rules/resource.ts';
import { ignoreNotFound } from '../errors.ts';
import type { ReconcileDeps } from './deps.ts';

type WithConditions = { conditions?: Condition[] | undefined };
type RecordKind<Spec, Status> = {
  kind: ResourceKind<Spec, Status>;
  /** The request that creates such a resource. */
  fix: string;
  /** The status of a resource that stands for nothing. */
  status: (object: Resource<Spec, Status>) => Status;
};

/** Keeps the types of a kind together, which a list of kinds would lose. */
const recordKind = <Spec, Status extends WithConditions>(record: RecordKind<Spec, Status>) => ({
  kind: record.kind,
  reject: async (deps: Pick<ReconcileDeps, 'store' | 'now'>, object: Resource<Spec, Status>): Promise<void> =>
    await rejectRecord(deps, record, object),
});

/** The kinds that the service alone creates: an object from another client stands for nothing that happened. */
export const recordKinds = {
  run: recordKind({
    kind: AgentWorkflowRunKind,
    fix: 'start a run with POST /v1/orgs/{org}/agentworkflowruns',
    status: () => ({ phase: 'Failed' as const, steps: [] }),
  }),
  release: recordKind({
    kind: ReleaseKind,
    fix: 'start a Release with POST /v1/orgs/{org}/releases',
    status: () => ({ phase: 'Failed' as const, zones: [] }),
  }),
  promotion: recordKind({
    kind: PromotionKind,
    fix: 'promote a Release with POST /v1/orgs/{org}/products/{product}/zones/{zone}/promote',
    status: () => ({ phase: 'Cancelled' as const, phases: [] }),
  }),
  domain: recordKind({
    kind: DomainKind,
    fix: 'claim the domain with POST /v1/orgs/{org}/domains, which makes the token of its TXT record',
    status: ({ metadata }) => ({ state: 'Failed' as const, claimedAt: metadata.creationTimestamp }),
  }),
  incident: recordKind({
    kind: IncidentKind,
    fix: 'open an incident with POST /v1/orgs/{org}/incidents',
    status: ({ metadata }) => ({ state: 'Resolved' as const, openedAt: metadata.creationTimestamp, timeline: [] }),
  }),
  token: recordKind({ kind: ApiTokenKind, fix: 'create a token with POST /v1/me/tokens', status: () => ({}) }),
  delivery: recordKind({ kind: DeliveryKind, fix: 'let the code host send the event', status: () => ({}) }),
  ledger: recordKind({
    kind: TurnLedgerKind,
    fix: 'read the costs of agents from the API',
    status: () => ({ steps: [] }),
  }),
  backup: recordKind({
    kind: BackupKind,
    fix: 'start a backup with POST /v1/backup/backups',
    status: ({ metadata }) => ({ phase: 'Failed' as const, startedAt: metadata.creationTimestamp }),
  }),
  restore: recordKind({
    kind: RestoreKind,
    fix: 'start a restore with POST /v1/backup/restores, which takes the recovery key',
    status: ({ metadata }) => ({ phase: 'Failed' as const, startedAt: metadata.creationTimestamp }),
  }),
};

/** Records in the status why a resource that was written without the API has no effect. */
async function rejectRecord<Spec, Status extends WithConditions>(
  { store, now }: Pick<ReconcileDeps, 'store' | 'now'>,
  { kind, fix, status }: RecordKind<Spec, Status>,
  object: Resource<Spec, Status>,
): Promise<void> {
  if (isDeleting(object) || isCreatedByService(object)) return;
  const rejection = `The service alone creates a ${kind.kind}, so this one has no effect. Delete it, and ${fix}.`;
  const { metadata } = object;
  const at = now().toISOString();
  await store
    .updateStatus(kind, metadata, (current) => {
      const finding = { rejection, generation: metadata.generation, at };
      const conditions = withAcceptedCondition(current.status?.conditions, finding);
      return conditions && { ...(current.status ?? status(object)), conditions };
    })
    .catch(ignoreNotFound);
}
