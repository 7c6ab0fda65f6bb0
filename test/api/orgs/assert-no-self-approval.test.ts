import { expect, it } from 'vitest';
import { assertNoSelfApproval } from '../../../api/orgs/assert-no-self-approval.ts';
import { startApi } from '../../support/start-api.ts';

const contributors = { emails: ['ada@example.com'], logins: [], hasUnknownStarter: false, hasUnknownCommitter: false };
const approval = { contributors, by: 'ada@example.com' };

it('rejects the approval of one’s own work only in an org that prevents it', async () => {
  const { request, store } = await startApi();
  await expect(assertNoSelfApproval(store, 'acme', approval)).resolves.toBeUndefined();
  await request('/v1/orgs/acme/approvals', { method: 'PUT', body: { preventSelfApproval: true } });
  await expect(assertNoSelfApproval(store, 'acme', approval)).rejects.toMatchObject({ reason: 'self-approval' });
  await expect(assertNoSelfApproval(store, 'acme', { ...approval, by: 'bob@example.com' })).resolves.toBeUndefined();
});
