import { ApplicationKind } from '../../kinds/argo-cd.ts';
import { DnsEndpointKind } from '../../kinds/external-dns.ts';
import { ConfigMapKind, NamespaceKind, type Secret, SecretKind } from '../../kinds/kubernetes.ts';
import { IdentityProviderKind } from '../access/identity-provider.ts';
import { AccessGroupKind, UserKind } from '../access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../agents/kinds.ts';
import { TurnLedgerKind } from '../agents/ledger-kinds.ts';
import { AgentWorkflowRunKind } from '../changes/kinds.ts';
import { identityKeysSecretName } from '../cloud-accounts/identity-keys.ts';
import { CloudAccountKind } from '../cloud-accounts/kinds.ts';
import { ClusterKind } from '../clusters/kinds.ts';
import { DomainKind } from '../domains/kinds.ts';
import { decisionKeyName } from '../access/decision-keys.ts';
import { zoneOrgLabel } from '../environments/zone-namespace.ts';
import { passingLabels, restoreKeyLabels } from '../expiry.ts';
import { IncidentKind } from '../incidents/kinds.ts';
import { InstallationKind } from '../installation/kinds.ts';
import { rootUserRef, setupTokenRef } from '../installation/setup-objects.ts';
import { DeliveryKind } from '../intake/kinds.ts';
import { alertWebhookSecret } from '../incidents/alert-webhook-secret.ts';
import { OrganizationKind } from '../orgs/kinds.ts';
import { ProductKind } from '../products/kinds.ts';
import { PromotionKind } from '../promotions/kinds.ts';
import { ReleaseKind } from '../releases/kinds.ts';
import { apiVersion, type Kind, orgNamespace, type StoredObject, systemNamespace } from '../resource.ts';
import { backupKeySecret, backupSettingsRef } from './kinds.ts';

type Scope = 'installation' | 'org' | 'cluster';
type ArchivedKind = { kind: Kind<StoredObject>; scopes: readonly Scope[] };

const everywhere: readonly Scope[] = ['installation', 'org'];

/**
 * The kinds of an archive; an owner comes before what it owns. Credentials of people and of this installation are left
 * out, and so are builds, alert rules and credentials of clusters, which the service writes again.
 */
export const archivedKinds: readonly ArchivedKind[] = [
  { kind: InstallationKind, scopes: ['installation'] },
  { kind: OrganizationKind, scopes: ['installation'] },
  { kind: UserKind, scopes: ['installation'] },
  { kind: IdentityProviderKind, scopes: ['installation'] },
  { kind: ClusterKind, scopes: ['installation'] },
  { kind: AccessGroupKind, scopes: ['org'] },
  { kind: CloudAccountKind, scopes: ['org'] },
  { kind: AgentRoleKind, scopes: ['org'] },
  { kind: AgentWorkflowKind, scopes: ['org'] },
  { kind: DomainKind, scopes: ['org'] },
  { kind: ProductKind, scopes: ['org'] },
  { kind: AgentWorkflowRunKind, scopes: ['org'] },
  { kind: ReleaseKind, scopes: ['org'] },
  { kind: PromotionKind, scopes: ['org'] },
  { kind: IncidentKind, scopes: ['org'] },
  { kind: DeliveryKind, scopes: ['org'] },
  { kind: TurnLedgerKind, scopes: ['org'] },
  { kind: NamespaceKind, scopes: ['cluster'] },
  { kind: SecretKind, scopes: everywhere },
  { kind: ConfigMapKind, scopes: everywhere },
  { kind: DnsEndpointKind, scopes: ['installation'] },
  { kind: ApplicationKind, scopes: ['org'] },
];

/** Lists the namespaces that contain the archived objects of a kind. */
export function listNamespaces({ scopes }: ArchivedKind, orgs: readonly string[]): string[] {
  const namespaces: Record<Scope, string[]> = {
    installation: [systemNamespace],
    org: orgs.map(orgNamespace),
    cluster: [''],
  };
  return scopes.flatMap((scope) => namespaces[scope]);
}

/** Each installation has its own: its keys, its root user, its setup token and the key of its backups. */
const ownNames = new Set([
  decisionKeyName,
  identityKeysSecretName,
  setupTokenRef.name,
  rootUserRef.name,
  alertWebhookSecret.name,
  backupKeySecret.name,
  backupSettingsRef.name,
]);

const ephemeralLabels = [...passingLabels, restoreKeyLabels].flatMap((labels) => Object.keys(labels));

/** The ConfigMaps that a cluster, and what runs in it, writes into every namespace. */
const clusterNames = new Set(['kube-root-ca.crt', 'openshift-service-ca.crt', 'istio-ca-root-cert']);
const clusterSecretType = /^(helm\.sh\/|kubernetes\.io\/service-account-token$)/;

/** Returns whether the object is of the cluster or of the service's chart, which each installation has for itself. */
export function isOfCluster(object: StoredObject): boolean {
  const { namespace, name, labels } = object.metadata;
  if (![ConfigMapKind.kind, SecretKind.kind].includes(object.kind)) return false;
  const isOfChart = namespace === systemNamespace && labels?.['app.kubernetes.io/managed-by'] === 'Helm';
  return isOfChart || clusterNames.has(name) || clusterSecretType.test((object as Secret).type ?? '');
}

/** Returns whether an object belongs into an archive. */
function isArchived(object: StoredObject): boolean {
  const { kind, metadata } = object;
  const labels = Object.keys(metadata.labels ?? {});
  if (kind === NamespaceKind.kind) return labels.includes(zoneOrgLabel);
  if (metadata.namespace !== systemNamespace || object.apiVersion === apiVersion) return true;
  if (ephemeralLabels.some((label) => labels.includes(label))) return false;
  return kind === ConfigMapKind.kind && metadata.name === decisionKeyName ? true : !ownNames.has(metadata.name);
}

export const findArchivedKind = (object: Pick<StoredObject, 'apiVersion' | 'kind'>): ArchivedKind | undefined =>
  archivedKinds.find(({ kind }) => kind.kind === object.kind && kind.apiVersion === object.apiVersion);

/** Returns whether an archive contains objects of this kind, in this namespace and with this name and these labels. */
export function isArchivable(object: StoredObject): boolean {
  const kind = findArchivedKind(object);
  const { namespace } = object.metadata;
  const scope = toScope(namespace);
  return scope !== undefined && kind !== undefined && kind.scopes.includes(scope) && isArchived(object);
}

function toScope(namespace: string): Scope | undefined {
  if (namespace === '') return 'cluster';
  if (namespace === systemNamespace) return 'installation';
  return namespace.startsWith(orgNamespace('')) ? 'org' : undefined;
}
