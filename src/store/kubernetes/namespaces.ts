import { orgNamespace, systemNamespace } from '../../rules/resource.ts';
import type { ApiServer } from './api-server.ts';
import { Refused } from './refused.ts';

/** Whether the service makes that namespace itself: zones are the deployment controller's. */
export const isOurs = (namespace: string): boolean =>
  namespace === systemNamespace || namespace.startsWith(orgNamespace(''));

/** Makes a namespace, or finds it made. */
export async function makeNamespace(server: ApiServer, name: string): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'service.delivery' };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  try {
    await server.ask({ method: 'POST', path: '/api/v1/namespaces', body });
  } catch (error) {
    if (!(error instanceof Refused && error.taken)) throw error;
  }
}
