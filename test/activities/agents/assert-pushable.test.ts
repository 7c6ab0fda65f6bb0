import { expect, it } from 'vitest';
import { assertPushable } from '../../../activities/agents/assert-pushable.ts';
import type { RunContext } from '../../../activities/changes/run-context.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import type { BranchFacts } from '../../../src/rules/changes/branch-violation.ts';

const free: BranchFacts = { isDefault: false, isProtected: false, pullRequestsInto: [] };
const target = { branch: 'moon', isOwnBranch: false, gitRef: 'refs/heads/moon', pushRef: 'refs/heads/moon' };

const check = async (facts: Partial<BranchFacts>, more: Partial<RunContext> = {}) => {
  const host = { getBranchFacts: async () => ({ ...free, ...facts }) } as unknown as OrgCodehost;
  return await assertPushable({ ...target, host, repo: 'acme/hello', ...more } as RunContext);
};

it.each([
  ['the default branch', { isDefault: true }, '"moon" is the default branch.'],
  ['a protected branch', { isProtected: true }, '"moon" is a protected branch.'],
  ['the base of a pull request', { pullRequestsInto: [12] }, '"moon" is the base of pull request #12.'],
])('refuses a push to %s', async (_, facts, reason) => {
  await expect(check(facts)).rejects.toMatchObject({
    reason: 'branch-guarded',
    message: `No agent may push to it: ${reason} The changes of this turn are discarded. Give guidance to continue on a branch of the run.`,
  });
});

it('allows a push to an ordinary branch, and to a branch of the run whatever the head is', async () => {
  await check({});
  await check({ isProtected: true }, { isOwnBranch: true });
  await check({ isProtected: true }, { pushRef: 'refs/heads/service/change-hello-7' });
});
