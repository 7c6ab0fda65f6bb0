import { expect, it } from 'vitest';
import type { Condition } from '../../src/kinds/kubernetes.ts';
import { isBuildFinished, type BuildRun } from '../../src/kinds/shipwright.ts';

const validated: Condition = { type: 'Validated', status: 'True' };

it.each<[description: string, finished: boolean, conditions: Condition[] | undefined]>([
  ['is new', false, undefined],
  ['runs', false, [validated, { type: 'Succeeded', status: 'Unknown' }]],
  ['succeeded', true, [validated, { type: 'Succeeded', status: 'True' }]],
  ['failed', true, [validated, { type: 'Succeeded', status: 'False' }]],
])('a BuildRun that %s: finished is %s', (_, finished, conditions) => {
  const status: BuildRun['status'] = conditions && { conditions };
  expect(isBuildFinished({ status } as BuildRun)).toBe(finished);
  expect(isBuildFinished({} as BuildRun)).toBe(false);
});
