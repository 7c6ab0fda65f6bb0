import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import type { OrgCodehost, PullRequest } from '../../../src/integrations/codehost/codehost.ts';
import { finish, turn as says, write } from '../../../src/local/model/example.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { startAgentRun, type AgentRun } from '../../support/agent-run.ts';

const at = { org: 'acme', run: 'change-hello-7' };
const open: AgentRun[] = [];
afterEach(async () => {
  for (const run of open.splice(0)) await run.close();
});

/** A run that was given a pull request of somebody's fork, whose commits the code host keeps under a ref of its own. */
async function aFork() {
  const roles = {
    implementer: [says('Change.', write('greeting.js', '// ours')), finish('done', 'Done.')],
    'code-reviewer': [finish('approved', 'It is right.')],
  };
  const run = await startAgentRun({ title: 'Anything' }, [{ name: 'scripted', matches: () => true, roles }]);
  open.push(run);
  const { store, codehost } = run.deps;
  const found = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: at.run });
  const target = { repo: 'acme/hello', number: 8, kind: 'pull-request' as const };
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, target } });
  const head = await run.push('moon', (folder) => writeFileSync(join(folder, 'moon.txt'), 'moon\n'));
  run.git('update-ref', 'refs/pull/8/head', head);
  run.git('update-ref', '-d', 'refs/heads/moon');
  const pull = { number: 8, headBranch: 'moon', headRepo: 'eve/hello', baseBranch: 'main' } as PullRequest;
  const host: OrgCodehost = { ...(await codehost.forOrg('acme')), pullRequest: async () => pull };
  return { run, head, deps: { codehost: { forOrg: async () => host } } };
}

it('reviews the pull request of a fork', async () => {
  const { run, deps } = await aFork();
  const reviewed = await run.turn({ step: 'review-code', turn: 1, opening: 'start' }, deps);
  expect(reviewed).toMatchObject({ done: true, verdict: { outcome: 'approved' } });
});

it('asks a person, and not the model, where a change would have to be pushed to a fork', async () => {
  const { run, deps, head } = await aFork();
  const refused = await run.turn({ step: 'implement', turn: 1, opening: 'start' }, deps);
  expect(refused).toMatchObject({
    done: true,
    verdict: { outcome: 'needs-guidance', summary: expect.stringContaining('is in a fork') },
  });
  expect(run.questions).toEqual([]);
  expect(run.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/moon', 'refs/pull')).toBe(
    `refs/pull/8/head ${head}`,
  );
});

it('leaves a conflict of a fork to its owner, even one that git could settle', async () => {
  const { run, deps, head } = await aFork();
  await run.push('main', (folder) => writeFileSync(join(folder, 'OTHER.md'), 'other\n'));
  const merge = await new MockActivityEnvironment().run(run.activities(deps).mergeBase, at);
  expect(merge).toEqual({ outcome: 'conflicts', headSha: head });
  const refused = await run.turn({ step: 'resolve-conflicts', turn: 1, opening: 'conflicts' }, deps);
  expect(refused).toMatchObject({ verdict: { outcome: 'needs-guidance' } });
});
