import { z } from 'zod';

/** The address and credentials of a workload cluster, from a validated kubeconfig or from a cloud. */
export const ClusterAccess = z.strictObject({
  server: z.string(),
  /** PEM in base64, as in kubeconfigs; absent for a certificate of a public authority. */
  caData: z.string().optional(),
  token: z.string().optional(),
  /** The time at which a token of a cloud ends, before which the service makes another one. */
  expiresAt: z.string().optional(),
  certData: z.string().optional(),
  keyData: z.string().optional(),
});
export type ClusterAccess = z.infer<typeof ClusterAccess>;
