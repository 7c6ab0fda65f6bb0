import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { isTemporalReachable } from '../../src/integrations/temporal/call-workflow.ts';

/** Shorter than the usual probe timeout of one second. */
const timeoutMs = 800;

export type DependencyHealth = { store: boolean; workflows: boolean };

/** Checks that the store and the workflow server respond within the timeout. */
export async function checkDependencies({
  store,
  temporal,
}: Pick<ApiDeps, 'store' | 'temporal'>): Promise<DependencyHealth> {
  const lookup = store.find(ConfigMapKind, { namespace: systemNamespace, name: 'root-user' });
  const storeCheck = Promise.race([lookup.then(() => true), falseAfter(timeoutMs)]).catch(() => false);
  const [isStoreReachable, workflows] = await Promise.all([storeCheck, isTemporalReachable(temporal, timeoutMs)]);
  return { store: isStoreReachable, workflows };
}

const falseAfter = async (ms: number): Promise<false> => {
  const { promise, resolve } = Promise.withResolvers<false>();
  setTimeout(() => resolve(false), ms).unref();
  return promise;
};
