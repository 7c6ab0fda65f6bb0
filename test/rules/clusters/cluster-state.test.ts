import { expect, it } from 'vitest';
import { type ClusterState, toClusterState } from '../../../src/rules/clusters/cluster-state.ts';
import type { ClusterFinding } from '../../../src/rules/clusters/kinds.ts';

it.each<[ClusterFinding['result'][], ClusterState]>([
  [[], 'unchecked'],
  [['ok', 'ok'], 'ready'],
  [['ok', 'warning'], 'warning'],
  [['warning', 'failed', 'ok'], 'failed'],
])('of findings %j is %s', (results, state) => {
  expect(toClusterState(results.map((result) => ({ result })))).toBe(state);
});
