import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { NameLabel, OrgName, Timestamp, titleText } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { eksName, gkeName } from './cloud-cluster-name.ts';

/** A cluster of a cloud, with the account of an org whose credentials the service uses there. */
export const ClusterCloud = z.strictObject({
  org: OrgName.describe('Org of the cloud account.'),
  account: NameLabel.describe('Name of the cloud account in the org.'),
  cluster: z
    .string()
    .max(300)
    .regex(
      new RegExp(`${eksName.source}|${gkeName.source}`),
      'must be the name of an EKS cluster, or projects/<project>/locations/<location>/clusters/<name> of a GKE cluster',
    )
    .describe(
      'Name of the cluster at the cloud: the name of an EKS cluster in the region of the account, or `projects/<project>/locations/<location>/clusters/<name>` of a GKE cluster.',
    ),
});
export type ClusterCloud = z.infer<typeof ClusterCloud>;

export const ClusterSpec = z.strictObject({
  label: titleText(60).optional().describe('Display name of the cluster. Defaults to its name.'),
  prometheusUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(isPlainUrl, 'must have no user, query or fragment')
    .optional()
    .describe(
      'Prometheus of the cluster, for the metrics of its zones. It gets no credentials. If absent, zones there have no metrics.',
    ),
  cloud: ClusterCloud.optional().describe(
    'Cloud account with which the service signs in to the cluster. If absent, the service signs in with a kubeconfig.',
  ),
});
export type ClusterSpec = z.infer<typeof ClusterSpec>;

/** The subjects of a check, in the order in which they are shown. */
export const clusterSubjects = [
  'connection',
  'version',
  'permissions',
  'least-privilege',
  'deployment',
  'ingress',
  'storage',
  'user-namespaces',
  'metrics',
] as const;

export const ClusterFinding = z.object({
  subject: z.enum(clusterSubjects).describe('Subject that was checked.'),
  result: z
    .enum(['ok', 'warning', 'failed'])
    .describe('`failed` if zones there do not work, `warning` if a part of them may not.'),
  message: z.string().describe('What the check found, in words.'),
  fix: z.string().optional().describe('What to do; absent if the result is `ok`.'),
});
export type ClusterFinding = z.infer<typeof ClusterFinding>;

/** A workload cluster, which runs zones besides the installation's own. Its credentials are in the Secret `workload-clusters`. */
export const ClusterKind = defineResource({
  kind: 'Cluster',
  plural: 'clusters',
  spec: ClusterSpec,
  status: z.object({
    version: z.string().optional().describe('Kubernetes version at the last check that reached the cluster.'),
    findings: z.array(ClusterFinding).optional().describe('Findings of the last check.'),
    checkedAt: Timestamp.optional().describe('Time of the last check.'),
    conditions: Conditions,
  }),
  crd: {
    printerColumns: [
      { name: 'Version', path: '.status.version' },
      { name: 'Ready', path: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Checked', path: '.status.checkedAt', type: 'date' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Ready")].message', wide: true },
    ],
  },
});
export type Cluster = ResourceOf<typeof ClusterKind>;

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
}
