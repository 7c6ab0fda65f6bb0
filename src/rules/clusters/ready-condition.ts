import { type Condition, withCondition } from '../conditions.ts';
import { toClusterState } from './cluster-state.ts';
import type { ClusterFinding } from './kinds.ts';

/** Returns the conditions with the result of a check, as kubectl shows it. */
export function withReadyCondition(
  conditions: Condition[] | undefined,
  findings: readonly ClusterFinding[],
  at: { generation: number; at: string },
): Condition[] | undefined {
  const isReady = toClusterState(findings) !== 'failed';
  const message = findings.find(({ result }) => result === 'failed')?.message ?? 'Zones can run there.';
  const reason = isReady ? 'CheckPassed' : 'CheckFailed';
  const status = isReady ? 'True' : 'False';
  return withCondition(conditions, { type: 'Ready', status, reason, message, ...at }) ?? conditions;
}
