import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServer, Ask } from './api-server.ts';
import { isOurs } from './namespaces.ts';
import { Refused } from './refused.ts';

/** The roles that the service's account binds itself to in namespaces that are its own, and who that account is. */
export type Rights = {
  orgRole: string;
  zoneRole: string;
  account: { namespace: string; name: string };
};

/** An API server takes a moment to act on a right that it has been told of. */
const actsWithinMs = 5_000;
/** So that a namespace that stays closed is not asked for at every call. */
const askAgainMs = 30_000;

/**
 * An API server whose rights are given namespace by namespace: at the first refusal in one, the account binds its role
 * there and asks again. Which namespaces it may do that in is for the cluster to say, so others stay closed.
 */
export function admitted(server: ApiServer, rights: Rights): ApiServer {
  const entered = new Map<string, { at: number; entering: Promise<boolean> }>();

  const enter = async (namespace: string): Promise<boolean> => {
    const before = entered.get(namespace);
    if (before && performance.now() - before.at < askAgainMs) return await before.entering;
    const entering = bind(server, rights, namespace);
    entered.set(namespace, { at: performance.now(), entering });
    try {
      return await entering;
    } catch (error) {
      entered.delete(namespace);
      throw error;
    }
  };

  return {
    ...server,
    async ask<T>(asked: Ask): Promise<T> {
      const giveUpAt = performance.now() + actsWithinMs;
      for (;;) {
        try {
          return await server.ask<T>(asked);
        } catch (error) {
          const namespace = /^\/apis?\/.*?\/namespaces\/([^/]+)\/./.exec(asked.path)?.[1];
          if (!(error instanceof Refused) || error.code !== 403 || namespace === undefined) throw error;
          if (performance.now() > giveUpAt || !(await enter(decodeURIComponent(namespace)))) throw error;
          await sleep(20);
        }
      }
    },
  };
}

/** False where the cluster does not allow it; a namespace that is not there is told as such. */
async function bind(server: ApiServer, rights: Rights, namespace: string): Promise<boolean> {
  const role = isOurs(namespace) ? rights.orgRole : rights.zoneRole;
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: role, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...rights.account }],
  };
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings`;
  try {
    await server.ask({ method: 'POST', path, body });
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.taken) return true;
    if (error.code === 403 || error.code === 422) return false;
    throw error;
  }
}
