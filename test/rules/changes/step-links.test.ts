import { expect, it } from 'vitest';
import type { AgentWorkflowRun, StepStatus } from '../../../src/rules/changes/kinds.ts';
import { listStepLinks } from '../../../src/rules/changes/step-links.ts';
import type { Release } from '../../../src/rules/releases/kinds.ts';

const steps = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'review', type: 'agent', role: 'code-reviewer', mode: 'report' },
  { name: 'merge', type: 'merge' },
];
const pullRequest = { number: 8, url: 'http://host/pulls/8', headSha: 'c' };
const run = { spec: { steps }, status: { phase: 'Running', steps: [], pullRequest } } as unknown as AgentWorkflowRun;
const release = {
  spec: { version: 'v0.1.0' },
  status: { url: 'http://host/releases/v0.1.0' },
} as unknown as Release;
const pull = { title: 'Pull request #8', url: 'http://host/pulls/8' };

it.each<[StepStatus, object[]]>([
  [{ name: 'implement', phase: 'Succeeded' }, [pull]],
  [{ name: 'implement', phase: 'Pending' }, []],
  [{ name: 'review', phase: 'Succeeded' }, []],
  [
    {
      name: 'review',
      phase: 'Succeeded',
      posts: [
        { to: 'issue #7', url: 'http://c/1' },
        { to: 'chat', error: 'No.' },
      ],
    },
    [{ title: 'issue #7', url: 'http://c/1' }],
  ],
  [{ name: 'merge', phase: 'Running' }, [pull]],
  [{ name: 'merge', phase: 'Skipped' }, []],
  [{ name: 'merge', phase: 'Succeeded' }, [pull, { title: 'Release v0.1.0', url: 'http://host/releases/v0.1.0' }]],
])('lists the links of %j', (step, links) => {
  expect(listStepLinks(run, step, release)).toEqual(links);
});
