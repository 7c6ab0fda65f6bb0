import { expect, test } from 'vitest';
import { ApiProblem } from '../../../../src/clients/ui/api/request.ts';
import { every } from '../../../../src/clients/ui/live/live-state.ts';

const gone = new ApiProblem({ status: 404, reason: 'not-found' });
const toQuery = (error: Error | null, meta?: Record<string, unknown>) => ({ meta, state: { error } });

test('data that a page keeps although it is gone is not read again', () => {
  const keeping = { keepsGone: true };
  expect(every(2_000)(toQuery(gone, keeping))).toBe(false);
  expect(every(2_000)(toQuery(null, keeping))).toBe(2_000);
  expect(every(2_000)(toQuery(new ApiProblem({ status: 500, reason: 'internal-error' }), keeping))).toBe(2_000);
  expect(every(2_000)(toQuery(gone))).toBe(2_000);
});
