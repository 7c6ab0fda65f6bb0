import type { ClusterFinding } from './kinds.ts';

export const clusterStates = ['ready', 'warning', 'failed', 'unchecked'] as const;
export type ClusterState = (typeof clusterStates)[number];

/** Returns the worst result of a check. */
export function toClusterState(findings: readonly Pick<ClusterFinding, 'result'>[]): ClusterState {
  if (findings.length === 0) return 'unchecked';
  const has = (result: ClusterFinding['result']): boolean => findings.some((finding) => finding.result === result);
  if (has('failed')) return 'failed';
  return has('warning') ? 'warning' : 'ready';
}
