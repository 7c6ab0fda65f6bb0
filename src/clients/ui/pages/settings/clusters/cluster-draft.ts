import type { Schemas } from '../../../api/generated/openapi.ts';

/** A cluster as a person types it. */
export type ClusterDraft = {
  label: string;
  signIn: 'kubeconfig' | 'cloud';
  kubeconfig: string;
  cloud: Schemas['ClusterCloud'];
  prometheusUrl: string;
};

export const emptyCluster: ClusterDraft = {
  label: '',
  signIn: 'kubeconfig',
  kubeconfig: '',
  cloud: { org: '', account: '', cluster: '' },
  prometheusUrl: '',
};

/** The kubeconfig is never shown again. */
export const toDraft = ({ label = '', prometheusUrl = '', cloud }: Schemas['Cluster']): ClusterDraft => ({
  ...emptyCluster,
  label,
  prometheusUrl,
  ...(cloud && { signIn: 'cloud', cloud }),
});

/** Leaves out what is empty, and the way to sign in that is not chosen. */
export const toClusterBody = ({ label, signIn, kubeconfig, cloud, prometheusUrl }: ClusterDraft) => ({
  ...(label.trim() !== '' && { label: label.trim() }),
  ...(signIn === 'kubeconfig' && kubeconfig !== '' && { kubeconfig }),
  ...(signIn === 'cloud' && { cloud: { ...cloud, cluster: cloud.cluster.trim() } }),
  ...(prometheusUrl.trim() !== '' && { prometheusUrl: prometheusUrl.trim() }),
});
