import { z } from '@hono/zod-openapi';
import { ClusterCloud, ClusterFinding, ClusterSpec } from '../../src/rules/clusters/kinds.ts';
import { clusterStates } from '../../src/rules/clusters/cluster-state.ts';
import { kubeconfigBytesMax } from '../../src/rules/clusters/read-kubeconfig.ts';
import { NameLabel, Timestamp } from '../../src/rules/names.ts';
import { ActionView } from '../http/views.ts';

const { label, prometheusUrl } = ClusterSpec.shape;

const Cloud = z.strictObject(ClusterCloud.shape).openapi('ClusterCloud');
const cloud = Cloud.optional().describe(
  'Cloud account with which the service signs in to the cluster, instead of a kubeconfig.',
);

const kubeconfig = z
  .string()
  .min(1)
  .max(kubeconfigBytesMax)
  .describe(
    'Kubeconfig with one cluster, one user and one context, as `kubectl config view --raw --minify --flatten` prints it. It is stored as a secret and never returned.',
  );

export const NewClusterBody = z.strictObject({
  name: NameLabel.refine(
    (name) => name !== 'in-cluster',
    'is the name of the cluster of the installation itself',
  ).describe('Name of the cluster, which its Argo CD cluster Secret also has.'),
  label,
  kubeconfig: kubeconfig.optional(),
  cloud,
  prometheusUrl,
});

export const ClusterBody = z.strictObject({
  label,
  kubeconfig: kubeconfig.optional().openapi({
    description: 'New kubeconfig, also of another API server. Without it and `cloud` the stored one stays.',
  }),
  cloud,
  prometheusUrl,
});

/** A name in a path; a value that is not a valid name responds 404, as a name that does not exist. */
export const ClusterParams = z.object({
  cluster: z
    .string()
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
    .max(200)
    .describe('Name of the workload cluster.'),
});

const ZoneInCluster = z.object({
  org: z.string().describe('Name of the org.'),
  product: z.string().describe('Name of the Product.'),
  zone: z.string().describe('Name of the zone.'),
});

export const ClusterView = z
  .object({
    name: z.string().describe('Name of the workload cluster.'),
    label: z.string().optional().describe('Display name of the cluster, if it has one.'),
    source: z
      .enum(['settings', 'environment'])
      .describe(
        'Where the cluster comes from: a platform admin added it (`settings`), or the operator named it in WORKLOAD_CLUSTERS (`environment`).',
      ),
    server: z.string().optional().describe('URL of the API server; absent for a cluster from WORKLOAD_CLUSTERS.'),
    cloud: Cloud.optional().describe(
      'Cloud account with which the service signs in to the cluster; absent for a cluster with a kubeconfig.',
    ),
    fingerprint: z
      .string()
      .optional()
      .describe('Fingerprint of the kubeconfig, which changes only if the kubeconfig does. Absent if none is stored.'),
    prometheusUrl: z.string().optional().describe('Prometheus of the cluster.'),
    state: z
      .enum(clusterStates)
      .describe(
        'Worst result of the last check; `unchecked` if there was none, as for a cluster from WORKLOAD_CLUSTERS.',
      ),
    version: z.string().optional().describe('Kubernetes version at the last check that reached the cluster.'),
    findings: z.array(z.object(ClusterFinding.shape)).describe('Findings of the last check.'),
    checkedAt: Timestamp.optional().describe('Time of the last check.'),
    zones: z.array(ZoneInCluster).describe('Zones that run in the cluster.'),
    resourceVersion: z
      .string()
      .optional()
      .describe('Version of the cluster, for `If-Match`; absent for a cluster from WORKLOAD_CLUSTERS.'),
    actions: z.array(ActionView).describe('Operations on the cluster, with whether the caller can perform them now.'),
  })
  .openapi('Cluster');
