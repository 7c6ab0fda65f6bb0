import { expect, it } from 'vitest';
import { judgeExcess, judgePermissions } from '../../../src/rules/clusters/judge-permissions.ts';
import { dangerousAccess, requiredAccess } from '../../../src/rules/clusters/required-access.ts';

it('names each permission that an account lacks', () => {
  expect(judgePermissions(requiredAccess)).toMatchObject({ result: 'ok' });
  const finding = judgePermissions(requiredAccess.filter(({ resource }) => resource !== 'events'));
  expect(finding).toMatchObject({ result: 'failed', fix: expect.stringContaining('workload-cluster.yaml') as string });
  expect(finding.message).toContain(': get events, list events.');
});

it('warns of an account that may do more than the service needs', () => {
  expect(judgeExcess({ dangerous: [], unlimited: false })).toMatchObject({ result: 'ok' });
  const some = judgeExcess({ dangerous: dangerousAccess.slice(0, 2), unlimited: false });
  expect(some).toMatchObject({
    result: 'warning',
    message: expect.stringContaining('get secrets, list secrets') as string,
  });
  const all = judgeExcess({ dangerous: dangerousAccess, unlimited: true });
  expect(all.message).toContain('cluster admin');
});
