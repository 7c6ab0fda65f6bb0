import { describe, expect, it } from 'vitest';
import { listRunContributors } from '../../../src/rules/access/contributors.ts';
import { selfApprovalViolation } from '../../../src/rules/access/self-approval-violation.ts';
import type { AgentWorkflowRun, RunSpec, RunStatus } from '../../../src/rules/changes/kinds.ts';
import { type Organization, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { buildResource } from '../build-resource.ts';

type Approvals = NonNullable<Organization['spec']['approvals']>;
const org = (approvals: Approvals | null) =>
  buildResource(OrganizationKind, {
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', ...(approvals && { approvals }) },
  });
const codehostLogins = [
  { email: 'alice@x.org', login: 'alice-dev' },
  { email: 'bob@x.org', login: 'bob-dev' },
];
const known = org({ preventSelfApproval: true, codehostLogins });
const at = '2026-11-22T10:00:00.000Z';

const buildRun = (spec: Partial<RunSpec>, status: Partial<RunStatus> = {}) =>
  ({
    spec: { agentWorkflow: 'change', product: 'hello', steps: [], roles: {}, startedBy: 'code host', ...spec },
    status: { phase: 'Running', steps: [], ...status },
  }) as unknown as AgentWorkflowRun;
/** A run that alice started by a label on an issue of carol. */
const byEvent = buildRun({ cause: { event: 'issue.labeled', labels: [], people: ['Alice-Dev', 'carol-dev'], at } });

const approves = (approver: string, run: AgentWorkflowRun, organization = known): boolean =>
  selfApprovalViolation(organization, listRunContributors(run), approver) === undefined;

describe('selfApprovalViolation', () => {
  it.each([
    ['without a rule', null, 'jo@x.org', true],
    ['with self-approval allowed', false, 'jo@x.org', true],
    ['with another approver', true, 'kim@x.org', true],
    ['with the same person', true, 'jo@x.org', false],
    ['with the same person in another case', true, 'JO@x.org', false],
  ])(
    '%s, decides whether a person may approve what a person started',
    (_, preventSelfApproval, approver, isAllowed) => {
      const organization = org(preventSelfApproval === null ? null : { preventSelfApproval });
      expect(approves(approver, buildRun({ startedBy: 'jo@x.org' }), organization)).toBe(isAllowed);
    },
  );

  it('counts the sender and the author of the event that started a run', () => {
    expect(approves('alice@x.org', byEvent)).toBe(false);
    expect(approves('bob@x.org', byEvent)).toBe(true);
    const carol = [...codehostLogins, { email: 'carol@x.org', login: 'carol-dev' }];
    expect(approves('carol@x.org', byEvent, org({ preventSelfApproval: true, codehostLogins: carol }))).toBe(false);
    // The rule is off.
    expect(approves('alice@x.org', byEvent, org({ preventSelfApproval: false, codehostLogins }))).toBe(true);
  });

  it('refuses every approver who may be the account behind the event, and says how to change that', () => {
    expect(approves('dave@x.org', byEvent)).toBe(false);
    expect(selfApprovalViolation(known, listRunContributors(byEvent), 'dave@x.org')).toContain(
      'Ask an org admin to add your account on the code host',
    );
    const unknown = buildRun({ cause: { event: 'issue.labeled', labels: [], at } });
    for (const approver of ['alice@x.org', 'bob@x.org', 'dave@x.org']) expect(approves(approver, unknown)).toBe(false);
    expect(approves('bob@x.org', buildRun({}))).toBe(false);
  });

  it('refuses everybody when the code host does not say who made a commit, and says how to change that', () => {
    const pullRequest = { number: 8, url: 'http://host/pulls/8', headSha: 'a1' };
    const committers = { headSha: 'a1', logins: [], hasUnknown: true };
    const run = buildRun({ startedBy: 'alice@x.org' }, { pullRequest, committers });
    expect(approves('bob@x.org', run)).toBe(false);
    expect(selfApprovalViolation(known, listRunContributors(run), 'bob@x.org')).toContain(
      'Commit it again with an address that the code host knows',
    );
  });

  it('lets everybody approve what only bots caused', () => {
    expect(
      approves('dave@x.org', buildRun({ cause: { event: 'pull_request.opened', labels: [], people: [], at } })),
    ).toBe(true);
  });

  it('counts who guided an agent, and who wrote the pull request that a run works on', () => {
    expect(approves('bob@x.org', { ...byEvent, status: { ...byEvent.status!, guidedBy: ['Bob@x.org'] } })).toBe(false);
    const issue = { title: 'Greet', url: 'http://host/pulls/7', author: 'bob-dev' };
    const target = { repo: 'acme/hello', number: 7 };
    const started = { startedBy: 'alice@x.org' };
    const onPull = buildRun({ ...started, target: { ...target, kind: 'pull-request' } }, { issue });
    expect(approves('bob@x.org', onPull)).toBe(false);
    // The author of an issue has written no code.
    expect(approves('bob@x.org', buildRun({ ...started, target }, { issue }))).toBe(true);
  });
});
