import { z } from 'zod';
import { ClusterCloud } from './kinds.ts';

/** The address and credentials of a workload cluster, from a validated kubeconfig or from a cloud. */
export const ClusterAccess = z.strictObject({
  server: z.string(),
  /** PEM in base64, as in kubeconfigs; absent for a certificate of a public authority. */
  caData: z.string().optional(),
  token: z.string().optional(),
  /** The time at which a token of a cloud ends, before which the service makes another one. */
  expiresAt: z.string().optional(),
  /** The cluster that a cloud was asked for; absent for a kubeconfig. */
  cloud: ClusterCloud.optional(),
  certData: z.string().optional(),
  keyData: z.string().optional(),
});
export type ClusterAccess = z.infer<typeof ClusterAccess>;
