import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { isTemporalReachable } from '../../src/integrations/temporal/call-workflow.ts';
import { inTime } from './in-time.ts';

export type DependencyHealth = { store: boolean; workflows: boolean };

/** Checks that the store and the workflow server respond within the timeout. */
export async function checkDependencies(
  { store, temporal }: Pick<ApiDeps, 'store' | 'temporal'>,
  timeoutMs: number,
): Promise<DependencyHealth> {
  const lookup = store.find(ConfigMapKind, { namespace: systemNamespace, name: 'root-user' });
  const isReachable = async (check: Promise<boolean>): Promise<boolean> =>
    await inTime(check, { timeoutMs, late: false }).catch(() => false);
  // The client of the workflow server exceeds its deadline by seconds while the server refuses connections.
  const checks = [isReachable(lookup.then(() => true)), isReachable(isTemporalReachable(temporal, timeoutMs))] as const;
  const [isStoreReachable, workflows] = await Promise.all(checks);
  return { store: isStoreReachable, workflows };
}
