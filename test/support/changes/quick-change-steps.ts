import type { StepSpec } from '../../../src/rules/agents/kinds.ts';

/** A Change without reviews, which is faster. */
export const quickChangeSteps: StepSpec[] = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'approve-change', type: 'human' },
  {
    name: 'resolve-conflicts',
    type: 'agent',
    role: 'conflict-resolver',
    mode: 'change',
    when: { pullRequest: { conflicted: true } },
  },
  { name: 'merge', type: 'merge' },
];
