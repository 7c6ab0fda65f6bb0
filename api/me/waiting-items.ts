import type { Contributors } from '../../src/rules/access/contributors.ts';
import { listApprovers } from '../../src/rules/access/list-approvers.ts';
import { toVisiblePeople } from '../../src/rules/access/list-org-people.ts';
import { releaseActions } from '../../src/rules/access/release-actions.ts';
import { incidentActions } from '../../src/rules/access/incident-actions.ts';
import { isRoleAtLeast, type OrgRole } from '../../src/rules/access/roles.ts';
import { runActions } from '../../src/rules/access/run-actions.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import { findWaitingSteps, waitingRunPhases } from '../../src/rules/changes/find-waiting-steps.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { DomainKind, type Domain } from '../../src/rules/domains/kinds.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind, type Incident } from '../../src/rules/incidents/kinds.ts';
import { ProductKind, type Product } from '../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace, toOrgName, type Kind, type StoredObject } from '../../src/rules/resource.ts';
import { readOrgPeople } from '../access/read-org-people.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { ApiDeps } from '../deps.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { findSelfApproval } from '../orgs/find-self-approval.ts';
import { getOrganization } from '../orgs/org.ts';
import { findReleaseContributors, findRunContributors } from '../releases/find-contributors.ts';
import type { WaitingItemView } from './schemas.ts';

/** Above this number of orgs, one list of all namespaces is cheaper than a list of each. */
const separateListsMax = 20;
/** Enough people to ask. */
const peopleMax = 10;

/** The store reads of the response, and the time, by which people lose their groups at identity providers. */
type Reads = Pick<ApiDeps, 'store' | 'now'>;
type OrgOfCaller = { org: string; role: OrgRole };

/** Lists what waits for a person in the orgs in which they may decide. */
export async function listWaitingItems(
  deps: Reads,
  email: string,
  orgs: readonly OrgOfCaller[],
): Promise<WaitingItemView[]> {
  const viewers = new Map(
    orgs.filter(({ role }) => isRoleAtLeast(role, 'member')).map(({ org, role }) => [org, { org, role, email }]),
  );
  const listAll = async <T extends StoredObject>(kind: Kind<T>, toItems: ToItems<T>, fields = {}) => {
    const namespaces =
      viewers.size > separateListsMax ? [{}] : [...viewers.keys()].map((org) => ({ namespace: orgNamespace(org) }));
    const pages = await Promise.all(namespaces.map((namespace) => deps.store.list(kind, { ...namespace, fields })));
    const items = pages
      .flatMap((page) => page.items)
      .map(async (object) => {
        const viewer = viewers.get(toOrgName(object.metadata.namespace));
        return viewer ? await toItems(deps, object, viewer) : [];
      });
    return (await Promise.all(items)).flat();
  };
  const lists = await Promise.all([
    ...waitingRunPhases.map((phase) => listAll(AgentWorkflowRunKind, toStepItems, { 'status.phase': phase })),
    listAll(ProductKind, toPromotionItems),
    listAll(IncidentKind, toIncidentItems),
    listAll(DomainKind, toDomainItems),
  ]);
  return lists.flat();
}

type ToItems<T> = (deps: Reads, object: T, viewer: Viewer) => Promise<WaitingItemView[]>;

async function toStepItems(deps: Reads, run: AgentWorkflowRun, viewer: Viewer): Promise<WaitingItemView[]> {
  const { metadata, spec, status } = run;
  const steps = findWaitingSteps(run);
  if (steps.length === 0) return [];
  const approval = await findApproval(deps, viewer, () => findRunContributors(deps.store, viewer.org, run));
  const actions = runActions(run, viewer.role, approval.violation);
  return steps.map(({ name: step, phase, waitingFor, startedAt }) => ({
    kind: 'step',
    org: viewer.org,
    product: spec.product,
    name: metadata.name,
    title: status?.issue?.title ?? spec.agentWorkflow,
    step,
    phase,
    ...(status?.pullRequest && { headSha: status.pullRequest.headSha }),
    ...(waitingFor?.message !== undefined && { message: waitingFor.message }),
    since: waitingFor?.since ?? startedAt ?? metadata.creationTimestamp,
    role: waitingFor?.role ?? 'member',
    ...(phase === 'Waiting' && approval.people && { people: approval.people }),
    actions: actions.filter((action) => action.step === step),
    path: uiPaths.run(viewer.org, metadata.name),
  }));
}

async function toPromotionItems(deps: Reads, product: Product, viewer: Viewer): Promise<WaitingItemView[]> {
  const zones = (product.status?.zones ?? []).filter(
    ({ currentPromotion, removal }) => currentPromotion?.phase === 'WaitingForApproval' && !removal,
  );
  const items = zones.map(async ({ name: zone, currentPromotion }) => {
    const { namespace } = product.metadata;
    const release = await deps.store.find(ReleaseKind, { namespace, name: currentPromotion?.release ?? '' });
    const promotion = release?.status?.zones.find(({ name, phase }) => name === zone && phase === 'WaitingForApproval');
    if (!release || !promotion) return [];
    const { metadata, spec } = release;
    const approval = await findApproval(deps, viewer, () => findReleaseContributors(deps.store, viewer.org, release));
    const { message, since, role } = promotion.waitingFor ?? {};
    return [
      {
        kind: 'promotion' as const,
        org: viewer.org,
        product: spec.product,
        name: metadata.name,
        title: spec.version,
        zone,
        phase: promotion.phase,
        commit: spec.commit,
        ...(message !== undefined && { message }),
        since: since ?? promotion.startedAt ?? metadata.creationTimestamp,
        role: role ?? 'member',
        ...(approval.people && { people: approval.people }),
        actions: releaseActions(release, viewer.role, approval.violation).filter((action) => action.zone === zone),
        path: uiPaths.release(viewer.org, metadata.name),
      },
    ];
  });
  return (await Promise.all(items)).flat();
}

/** An incident waits until someone is on it. */
async function toIncidentItems(_deps: Reads, incident: Incident, viewer: Viewer): Promise<WaitingItemView[]> {
  const { metadata, spec } = incident;
  const { state, openedAt, timeline } = getIncidentStatus(incident);
  if (state !== 'Open') return [];
  // A flapping alert has opened the incident more than once.
  const since = timeline.findLast(({ type }) => type === 'reopened')?.at ?? openedAt;
  return [
    {
      kind: 'incident',
      org: viewer.org,
      product: spec.product,
      name: metadata.name,
      title: spec.title,
      ...(spec.zone !== undefined && { zone: spec.zone }),
      phase: state,
      message: `acknowledge the incident, which is ${spec.severity === 'info' ? 'for information' : spec.severity}`,
      since,
      role: 'member',
      actions: incidentActions(state, viewer.role).filter(({ name }) => name === 'acknowledgeIncident'),
      path: uiPaths.incident(viewer.org, metadata.name),
    },
  ];
}

/** The DNS records of a managed domain are the service's own work, and those of others are for an org admin to set. */
async function toDomainItems(
  _deps: Reads,
  { metadata, spec, status }: Domain,
  viewer: Viewer,
): Promise<WaitingItemView[]> {
  const isWaiting = status === undefined || status.state === 'WaitingForDns';
  if (!isWaiting || spec.kind !== 'external' || viewer.role !== 'org-admin') return [];
  return [
    {
      kind: 'domain',
      org: viewer.org,
      name: spec.name,
      title: spec.name,
      phase: 'WaitingForDns',
      message: status?.message ?? 'set the DNS records of the domain',
      since: status?.claimedAt ?? metadata.creationTimestamp,
      role: 'org-admin',
      actions: actionsFor(viewer.role, [{ name: 'checkDomain', requiredRole: 'member' }]),
      path: uiPaths.domain(viewer.org, spec.name),
    },
  ];
}

/** Finds why a person may not approve, and who may. */
async function findApproval(
  deps: Reads,
  viewer: Viewer,
  findContributors: () => Promise<Contributors>,
): Promise<{ violation?: string; people?: string[] }> {
  const violation = await findSelfApproval(deps.store, viewer, findContributors);
  if (violation === undefined) return {};
  const approvers = listApprovers(await getOrganization(deps.store, viewer.org), {
    people: toVisiblePeople(await readOrgPeople(deps, viewer.org), viewer.role),
    contributors: await findContributors(),
    requiredRole: 'member',
  });
  return { violation, people: approvers.slice(0, peopleMax) };
}
