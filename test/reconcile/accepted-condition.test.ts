import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { rejectionMessage } from '../../src/reconcile/accepted-condition.ts';

it('returns the message of a permanent refusal', () => {
  expect(rejectionMessage(new ServiceError('name-taken', 'Taken.'))).toBe('Taken.');
});

it.each([new ServiceError('unavailable', 'Down.'), new Error('A fault.')])(
  'rethrows %s, so that it is retried',
  (error) => {
    expect(() => rejectionMessage(error)).toThrow(error);
  },
);
