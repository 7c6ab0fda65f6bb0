import { z } from 'zod';

/** The parts of a validated kubeconfig with which the service signs in to a workload cluster. */
export const ClusterAccess = z.strictObject({
  server: z.string(),
  /** PEM in base64, as in kubeconfigs; absent for a certificate of a public authority. */
  caData: z.string().optional(),
  token: z.string().optional(),
  certData: z.string().optional(),
  keyData: z.string().optional(),
});
export type ClusterAccess = z.infer<typeof ClusterAccess>;
