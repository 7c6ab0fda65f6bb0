import { afterEach, expect, it } from 'vitest';
import { call, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import { turnKey } from '../../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind, type Verdict } from '../../../src/rules/changes/kinds.ts';
import { startAgentRunHarness, type AgentRunHarness } from '../../support/changes/agent-run-harness.ts';

let run: AgentRunHarness;
afterEach(async () => await run.close());

const criteria = ['The tests pass.', 'The README says so.'];
const judged = (...met: boolean[]) => met.map((is, at) => ({ criterion: criteria[at], met: is, note: 'I looked.' }));
const finish = (more: object) => call('finish', { outcome: 'done', summary: 'Done.', ...more });

it('finishes a step only when every criterion is judged and met', async () => {
  const implementer = [
    says('Change.', write('README.md', 'So.'), finish({})),
    says('Judge one.', finish({ criteria: judged(true) })),
    says('Judge badly.', finish({ criteria: judged(true, false) })),
    says('Judge both.', finish({ criteria: judged(true, true) })),
  ];
  run = await startAgentRunHarness({ title: 'Anything' }, [
    { name: 'scripted', matches: () => true, roles: { implementer } },
  ]);
  const { store, blobs } = run.deps;
  const found = await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: 'change-hello-7' });
  const steps = found.spec.steps.map((step) =>
    step.type === 'agent' && step.mode === 'change' ? { ...step, criteria } : step,
  );
  await store.replace(AgentWorkflowRunKind, { ...found, spec: { ...found.spec, steps } });
  const readPart = async (turn: number, part: 'results' | 'prompt') =>
    Buffer.from((await blobs.find(turnKey({ uid: run.uid, step: 'implement', turn }, part))) ?? '').toString();

  for (const turn of [1, 2, 3]) expect(await run.runTurn({ step: 'implement', turn })).toMatchObject({ done: false });
  expect(await readPart(1, 'prompt')).toContain('- The README says so.');
  expect(await readPart(1, 'results')).toContain('The input of finish is invalid');
  expect(await readPart(2, 'results')).toContain('not judged: \\"The README says so.\\"');
  expect(await readPart(3, 'results')).toContain('requires that all criteria are met');
  expect(await run.runTurn({ step: 'implement', turn: 4 })).toMatchObject({ done: true });
  const { verdict } = JSON.parse(await readPart(4, 'results')) as { verdict: Verdict };
  expect(verdict).toEqual({ outcome: 'done', summary: 'Done.', criteria: judged(true, true) });
});
