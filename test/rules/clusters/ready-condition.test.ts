import { expect, it } from 'vitest';
import { withReadyCondition } from '../../../src/rules/clusters/ready-condition.ts';

const at = { generation: 1, at: '2026-01-01T00:00:00Z' };

it('is ready with warnings, and not with a failure, which it shows', () => {
  const warning = { subject: 'storage', result: 'warning', message: 'No storage.' } as const;
  const failed = { subject: 'permissions', result: 'failed', message: 'No rights.' } as const;
  const ready = withReadyCondition(undefined, [warning], at);
  expect(ready).toMatchObject([{ type: 'Ready', status: 'True', message: 'Zones can run there.' }]);
  expect(withReadyCondition(ready, [warning], at)).toBe(ready);
  expect(withReadyCondition(ready, [warning, failed], at)).toMatchObject([{ status: 'False', message: 'No rights.' }]);
});
