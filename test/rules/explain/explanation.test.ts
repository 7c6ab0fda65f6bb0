import { expect, it } from 'vitest';
import { toFacts } from '../../../src/rules/explain/explanation.ts';

it('lists the facts that are known, as texts', () => {
  expect(toFacts({ one: 'a', two: undefined, three: 3 })).toEqual([
    { name: 'one', value: 'a' },
    { name: 'three', value: '3' },
  ]);
});
