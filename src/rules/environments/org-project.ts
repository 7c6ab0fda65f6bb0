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
];

export type ProjectScope = { sourceRepos: string[]; destinations: Destination[] };

/** The project that all Applications of an org use, and no Application of another org can. */
export const orgProjectName = (org: string): string => orgNamespace(org);

/** Limits what the gitops repo of an org can deploy: these kinds, to the zones of the org, from this repo only. */
export const orgProjectSpec = (org: string, { sourceRepos, destinations }: ProjectScope): AppProject['spec'] => ({
  description: `The zones of the org ${org}. The delivery service writes this project.`,
  sourceRepos,
  sourceNamespaces: [orgNamespace(org)],
  destinations,
  clusterResourceWhitelist: [],
  namespaceResourceWhitelist: zoneKinds,
});
