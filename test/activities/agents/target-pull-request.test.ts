import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import type { OrgCodehost, PullRequest } from '../../../src/integrations/codehost/codehost.ts';
import { finish, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

const ref = { org: 'acme', run: 'change-hello-7' };
const open: AgentRunHarness[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** Starts a run on a pull request of a fork, whose commits the code host serves under its pull ref. */
async function startForkRun() {
  const roles = {
    implementer: [says('Change.', write('greeting.js', '// ours')), finish('done', 'Done.')],
    'code-reviewer': [finish('approved', 'It is right.')],
  };
  const run = await startAgentRunHarness({ title: 'Anything' }, [{ name: 'scripted', matches: () => true, roles }]);
  open.push(run);
  const { store, codehost } = run.deps;
  const found = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: ref.run });
  const target = { repo: 'acme/hello', number: 8, kind: 'pull-request' as const };
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, target } });
  const head = await run.pushAsUser('moon', (folder) => writeFileSync(join(folder, 'moon.txt'), 'moon\n'));
  run.git('update-ref', 'refs/pull/8/head', head);
  run.git('update-ref', '-d', 'refs/heads/moon');
  const pull = { number: 8, headBranch: 'moon', headRepo: 'eve/hello', baseBranch: 'main' } as PullRequest;
  const host: OrgCodehost = { ...(await codehost.forOrg('acme')), getPullRequest: async () => pull };
  return { run, head, deps: { codehost: { forOrg: async () => host } } };
}

it('reviews the pull request of a fork', async () => {
  const { run, deps } = await startForkRun();
  const reviewed = await run.runTurn({ step: 'review-code', turn: 1, trigger: 'start' }, deps);
  expect(reviewed).toMatchObject({ done: true, verdict: { outcome: 'approved' } });
});

it('asks for guidance without a model request when a change would be pushed to a fork', async () => {
  const { run, deps, head } = await startForkRun();
  const refused = await run.runTurn({ step: 'implement', turn: 1, trigger: 'start' }, deps);
  expect(refused).toMatchObject({
    done: true,
    verdict: { outcome: 'needs-guidance', summary: expect.stringContaining('is in a fork') },
  });
  expect(run.modelRequests).toEqual([]);
  expect(run.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/moon', 'refs/pull')).toBe(
    `refs/pull/8/head ${head}`,
  );
});

it('leaves a merge into a fork to its owner, even without a conflict', async () => {
  const { run, deps, head } = await startForkRun();
  await run.pushAsUser('main', (folder) => writeFileSync(join(folder, 'OTHER.md'), 'other\n'));
  const merge = await new MockActivityEnvironment().run(run.createActivities(deps).mergeBaseBranch, ref);
  expect(merge).toEqual({ outcome: 'conflicts', headSha: head });
  const refused = await run.runTurn({ step: 'resolve-conflicts', turn: 1, trigger: 'conflicts' }, deps);
  expect(refused).toMatchObject({ verdict: { outcome: 'needs-guidance' } });
});
