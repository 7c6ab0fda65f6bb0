import type { Namespace } from '../../kinds/kubernetes.ts';
import { apiGroup } from '../resource.ts';

/** The Kubernetes Pod Security Standards, which a label of a namespace enforces for its pods. */
export type PodSecurity = 'restricted' | 'baseline' | 'privileged';
export const podSecurityLabel = 'pod-security.kubernetes.io/enforce';

/** The zone that a namespace belongs to; `uid` is the one of the Product, so that a later Product of that name is another owner. */
export type ZoneOwner = { org: string; product: string; zone: string; uid: string };

/** Selects the namespaces of an org's zones. */
export const zoneOrgLabel = `${apiGroup}/org`;

/** The labels that prove which zone a namespace belongs to. */
const ownerLabels = ({ org, product, zone, uid }: ZoneOwner): Record<string, string> => ({
  'app.kubernetes.io/managed-by': apiGroup,
  [zoneOrgLabel]: org,
  [`${apiGroup}/product`]: product,
  [`${apiGroup}/zone`]: zone,
  [`${apiGroup}/uid`]: uid,
});

/** The labels of a new namespace of a zone. Its pods must be unprivileged (Pod Security Standard "restricted"). */
export const zoneNamespaceLabels = (owner: ZoneOwner): Record<string, string> => ({
  ...ownerLabels(owner),
  [podSecurityLabel]: 'restricted' satisfies PodSecurity,
});

/** Returns true only for the namespace that the service created for this zone of this very Product. */
export function isNamespaceOfZone({ metadata }: Pick<Namespace, 'metadata'>, owner: ZoneOwner): boolean {
  const labels = Object.entries(ownerLabels(owner));
  return metadata.name === owner.zone && labels.every(([name, value]) => metadata.labels?.[name] === value);
}

/** The message does not tell whose namespace it is, because orgs must not learn about each other. */
export const namespaceTakenMessage = (zone: string): string =>
  `The cluster has a namespace "${zone}" that does not belong to this zone. Choose another name for the zone.`;
