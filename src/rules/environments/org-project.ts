import type { AppProject, Destination } from '../../kinds/argo-cd.ts';
import { orgNamespace } from '../resource.ts';

/**
 * The kinds of the zone chart, and those that Argo CD shows below a Deployment, because it ignores the images of others.
 * The service itself writes namespaces and NetworkPolicies, so no repo can change them.
 */
const zoneKinds = [
  { group: '', kind: 'Pod' },
  { group: '', kind: 'Service' },
  { group: '', kind: 'PersistentVolumeClaim' },
  { group: 'apps', kind: 'Deployment' },
  { group: 'apps', kind: 'ReplicaSet' },
  { group: 'networking.k8s.io', kind: 'Ingress' },
  { group: 'policy', kind: 'PodDisruptionBudget' },
  { group: 'monitoring.coreos.com', kind: 'PodMonitor' },
];
const gatewayKind = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' };

export type ProjectScope = {
  sourceRepos: string[];
  destinations: Destination[];
  /** Whether a Gateway serves the zones. */
  hasGateway: boolean;
};

/** The project that all Applications of an org use, and no Application of another org can. */
export const orgProjectName = (org: string): string => orgNamespace(org);

/** Limits what the gitops repo of an org can deploy: these kinds, to the zones of the org, from this repo only. */
export const orgProjectSpec = (
  org: string,
  { sourceRepos, destinations, hasGateway }: ProjectScope,
): AppProject['spec'] => ({
  description: `The zones of the org ${org}. The delivery service writes this project.`,
  sourceRepos,
  sourceNamespaces: [orgNamespace(org)],
  destinations,
  clusterResourceWhitelist: [],
  // A zone that moves from an Ingress to a Gateway has both for a moment.
  namespaceResourceWhitelist: hasGateway ? [...zoneKinds, gatewayKind] : zoneKinds,
});

/** Returns whether the project allows the routes of a Gateway. */
export const allowsGateway = ({ spec }: AppProject): boolean =>
  (spec.namespaceResourceWhitelist ?? []).some(({ kind }) => kind === gatewayKind.kind);
