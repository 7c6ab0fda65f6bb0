import { orgNamespace, systemNamespace } from '../../rules/resource.ts';
import type { ApiServer } from './api-server.ts';
import { ApiServerError } from './api-error.ts';

/** Returns whether the service creates the namespace itself. The deployment controller creates those of zones. */
export const isServiceNamespace = (namespace: string): boolean =>
  namespace === systemNamespace || namespace.startsWith(orgNamespace(''));

export async function ensureNamespace(server: ApiServer, name: string): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'service.delivery' };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  try {
    await server.request({ method: 'POST', path: '/api/v1/namespaces', body });
  } catch (error) {
    if (!(error instanceof ApiServerError && error.isAlreadyExists)) throw error;
  }
}
