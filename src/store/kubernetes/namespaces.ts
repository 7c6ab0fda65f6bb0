import { type PodSecurity, podSecurityLabel } from '../../rules/environments/zone-namespace.ts';
import { apiGroup, orgNamespace, systemNamespace } from '../../rules/resource.ts';
import type { ApiServer } from './api-server.ts';
import { ApiServerError } from './api-error.ts';

/** Returns whether a namespace belongs to an org or the installation. The namespaces of zones have other names. */
export const isServiceNamespace = (namespace: string): boolean =>
  namespace === systemNamespace || namespace.startsWith(orgNamespace(''));

/** Creates a namespace of the service. The pods of builds in the namespaces of orgs must be unprivileged. */
export async function ensureNamespace(server: ApiServer, name: string, orgPodSecurity: PodSecurity): Promise<void> {
  const labels = {
    'app.kubernetes.io/managed-by': apiGroup,
    ...(name !== systemNamespace && { [podSecurityLabel]: orgPodSecurity }),
  };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  try {
    await server.request({ method: 'POST', path: '/api/v1/namespaces', body });
  } catch (error) {
    if (!(error instanceof ApiServerError && error.isAlreadyExists)) throw error;
  }
}
