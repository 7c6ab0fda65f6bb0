import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer, ApiRequest } from './api-server.ts';
import { isServiceNamespace } from './namespaces.ts';
import { ApiServerError } from './api-error.ts';

/** The service account, and the roles that it binds itself to in the namespaces of the service. */
export type NamespaceRoles = {
  orgRole: string;
  zoneRole: string;
  account: { namespace: string; name: string };
};

/** The API server applies a new role binding after a short delay. */
const propagationTimeoutMs = 5_000;
const boundAgainMs = 1_000;
/** A namespace that denies the binding is not tried again on every call. */
const retryDelayMs = 30_000;

/**
 * Grants access namespace by namespace: on the first 403 in a namespace, the account binds its role in it and retries.
 * The cluster decides in which namespaces the account may bind roles.
 */
export function withNamespaceAccess(server: ApiServer, roles: NamespaceRoles): ApiServer {
  const bindings = new Map<string, { validUntil: number; isBound: Promise<boolean> }>();

  const ensureBound = async (namespace: string): Promise<boolean> => {
    const last = bindings.get(namespace);
    if (last && performance.now() < last.validUntil) return await last.isBound;
    const binding = { validUntil: performance.now() + retryDelayMs, isBound: bindRole(server, roles, namespace) };
    bindings.set(namespace, binding);
    try {
      const isBound = await binding.isBound;
      // A namespace that is deleted and created again has lost the binding.
      if (isBound) binding.validUntil = performance.now() + boundAgainMs;
      return isBound;
    } catch (error) {
      bindings.delete(namespace);
      throw error;
    }
  };

  return {
    ...server,
    async request<T>(apiRequest: ApiRequest): Promise<T> {
      const deadline = performance.now() + propagationTimeoutMs;
      for (;;) {
        try {
          return await server.request<T>(apiRequest);
        } catch (error) {
          const namespace = /^\/apis?\/.*?\/namespaces\/([^/]+)\/./.exec(apiRequest.path)?.[1];
          if (!(error instanceof ApiServerError) || error.code !== 403 || namespace === undefined) throw error;
          if (performance.now() > deadline || !(await ensureBound(decodeURIComponent(namespace)))) throw error;
          await sleep(20);
        }
      }
    },
  };
}

/** Returns false when the cluster denies the binding or has no such role. Throws when the namespace does not exist. */
async function bindRole(server: ApiServer, roles: NamespaceRoles, namespace: string): Promise<boolean> {
  const role = isServiceNamespace(namespace) ? roles.orgRole : roles.zoneRole;
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    // A binding of an earlier installation, in another namespace, names an account that no longer exists.
    metadata: { name: `${role}.${roles.account.namespace}`, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...roles.account }],
  };
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings`;
  try {
    await server.request({ method: 'POST', path, body });
    return true;
  } catch (error) {
    if (!(error instanceof ApiServerError)) throw error;
    if (error.isAlreadyExists) return true;
    if (error.code === 403 || error.code === 422 || (error.code === 404 && !error.isNamespaceMissing)) return false;
    throw error;
  }
}
