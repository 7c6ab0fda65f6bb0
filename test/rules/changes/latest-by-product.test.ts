import { expect, it } from 'vitest';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { latestByProduct } from '../../../src/rules/changes/latest-by-product.ts';

const aRun = (name: string, product: string, day: number): AgentWorkflowRun =>
  ({
    metadata: { name, creationTimestamp: `2027-01-0${day}T00:00:00Z` },
    spec: { product },
  }) as unknown as AgentWorkflowRun;

it('finds the latest run of each Product, in whatever order they are', () => {
  const runs = [aRun('a', 'shop', 2), aRun('b', 'till', 1), aRun('c', 'shop', 3), aRun('d', 'till', 1)];
  for (const list of [runs, runs.toReversed()])
    expect(new Set(latestByProduct(list).map(({ metadata }) => metadata.name))).toEqual(new Set(['c', 'd']));
  expect(latestByProduct([])).toEqual([]);
});
