import { describe, expect, it } from 'vitest';
import { createDecisionJudge } from '../../../src/main/wiring/decision-keys.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunSpec, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { startApi } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';

const headSha = 'c0ffee'.padEnd(40, '0');
const path = '/v1/orgs/acme/agentworkflowruns/run-1/steps/approve-change/approve';
const pullRequest = { number: 8, url: 'http://host/pulls/8', headSha };
/** Only agents of the run have committed. */
const committers = { headSha, logins: [], hasUnknown: false };

type Waiting = { spec?: Partial<RunSpec>; status?: Partial<RunStatus>; workflowId?: string };

/** Creates a run that waits for approval, as the member of "acme". */
async function withWaitingRun({ spec = {}, status = { pullRequest, committers }, workflowId }: Waiting = {}) {
  const { temporal, updates } = captureUpdates();
  const api = await startApi({ role: 'member', temporal });
  const ref = { namespace: 'org-acme', name: 'run-1' };
  await api.store.create(AgentWorkflowRunKind, {
    metadata: { ...ref, ...(workflowId && { annotations: { [workflowIdAnnotation]: workflowId } }) },
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: 7 },
      startedBy: 'jo@example.com',
      steps: changeAgentWorkflow.steps,
      roles: {},
      ...spec,
    },
  });
  await api.store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase: 'WaitingForPerson' as const,
    steps: [{ name: 'approve-change', phase: 'Waiting' as const }],
    ...status,
  }));
  const approve = async (body: object) => await api.request(path, { method: 'POST', body });
  return { ...api, updates, approve };
}

describe('approveStep', () => {
  it('200: sends the decision with a proof for this org, run, step and head', async () => {
    const { approve, updates, store } = await withWaitingRun();
    expect((await approve({ headSha })).status).toBe(200);
    const decision = { run: 'run-1', step: 'approve-change', by: 'member@example.com', role: 'member', headSha };
    expect(updates).toEqual([
      {
        workflowId: 'run-agent-workflow/acme/change/acme/shop#7',
        update: 'approveStep',
        args: [decision, expect.any(String)],
      },
    ]);
    const judge = createDecisionJudge(store, () => new Date());
    const scope = { org: 'acme', run: 'run-1' };
    const proof = String(updates[0]?.args[1]);
    expect(await judge.judgeNew(proof, { action: 'approveStep', scope, decision })).toBeUndefined();
  });

  it('422: demands the head of a run with a pull request', async () => {
    const { approve, updates } = await withWaitingRun();
    const response = await approve({ note: 'Fine.' });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/headSha' }] });
    expect(updates).toEqual([]);
    const withoutPull = await withWaitingRun({ status: {} });
    expect((await withoutPull.approve({})).status).toBe(200);
  });

  it('200: approves a run of its own org whatever workflow its annotation names', async () => {
    const { approve, updates } = await withWaitingRun({ workflowId: 'run-agent-workflow/globex/change/globex/shop#1' });
    await approve({ headSha });
    const timed = await withWaitingRun({
      spec: { target: undefined } as unknown as Partial<RunSpec>,
      workflowId: 'run-agent-workflow/globex/change/shop/request-1',
    });
    await timed.approve({ headSha });
    for (const { workflowId } of [...updates, ...timed.updates])
      expect(workflowId).toMatch(/^run-agent-workflow\/acme\//);
    expect([...updates, ...timed.updates]).toHaveLength(2);
  });

  it.each([
    [
      'a Release',
      { release: { name: 'shop-v1.0.0', version: 'v1.0.0', repo: 'acme/shop' } },
      'run-agent-workflow/acme/change/shop@v1.0.0/r1',
    ],
    ['a request without a target', {}, 'run-agent-workflow/acme/change/shop/r1'],
  ])('200: sends the decision to the workflow that %s started', async (_, origin, workflowId) => {
    const spec = { target: undefined, ...origin } as unknown as Partial<RunSpec>;
    const { approve, updates } = await withWaitingRun({ spec, workflowId });
    expect((await approve({ headSha })).status).toBe(200);
    expect(updates).toMatchObject([{ workflowId }]);
  });

  it('403: refuses the account behind the event that started the run, and a person who may be that account', async () => {
    const cause = { event: 'issue.labeled', labels: [], people: ['alice-dev'], at: '2026-11-22T10:00:00.000Z' };
    const { approve, updates, request } = await withWaitingRun({ spec: { startedBy: 'code host', cause } });
    const put = async (login?: string) => {
      const codehostLogins = login === undefined ? [] : [{ email: 'member@example.com', login }];
      const body = { preventSelfApproval: true, codehostLogins };
      await request('/v1/orgs/acme/approvals', { method: 'PUT', body, role: 'org-admin' });
    };
    await put();
    expect(await (await approve({ headSha })).json()).toMatchObject({ status: 403, reason: 'self-approval' });
    await put('alice-dev');
    expect(await (await approve({ headSha })).json()).toMatchObject({ status: 403, reason: 'self-approval' });
    expect(updates).toEqual([]);
    await put('bob-dev');
    expect((await approve({ headSha })).status).toBe(200);
  });

  it.each([
    ['refuses the person whose account committed to the run', { ...committers, logins: ['bob-dev'] }, 403],
    ['refuses everybody when a commit has an unknown author', { ...committers, hasUnknown: true }, 403],
    ['refuses everybody before the committers are known', undefined, 403],
    [
      'refuses everybody before the committers of a new head are known',
      { ...committers, headSha: 'f'.repeat(40) },
      403,
    ],
    ['accepts a person when the account of another one committed', { ...committers, logins: ['carol-dev'] }, 200],
  ])('%s, where the org prevents self-approval', async (_, found, status) => {
    const { approve, updates, request } = await withWaitingRun({
      status: { pullRequest, ...(found && { committers: found }) },
    });
    const codehostLogins = [{ email: 'member@example.com', login: 'bob-dev' }];
    const body = { preventSelfApproval: true, codehostLogins };
    await request('/v1/orgs/acme/approvals', { method: 'PUT', body, role: 'org-admin' });
    const response = await approve({ headSha });
    expect(await response.json()).toMatchObject(status === 403 ? { reason: 'self-approval' } : { name: 'run-1' });
    expect([response.status, updates.length]).toEqual([status, status === 403 ? 0 : 1]);
  });
});
