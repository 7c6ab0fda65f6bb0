import { expect, it } from 'vitest';
import { changeObject } from '../../../../src/clients/ui/parts/change-object.ts';

it('sets fields, and leaves out those that are set to undefined', () => {
  const step: { name: string; reviews?: string; parallel?: string } = { name: 'check', reviews: 'implement' };
  expect(changeObject(step, { reviews: undefined, parallel: 'review' })).toEqual({ name: 'check', parallel: 'review' });
  expect(step).toEqual({ name: 'check', reviews: 'implement' });
});
