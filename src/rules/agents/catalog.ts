import type { AgentRoleSpec, AgentWorkflowSpec } from './kinds.ts';

/** Issues with this label start the catalog's Change. */
const changeLabel = 'service';

/** The AgentRoles every org starts with. */
export const catalogRoles: Record<string, AgentRoleSpec> = {
  implementer: {
    responsibilities: [
      'Do what the issue asks for, completely and with nothing beside it.',
      'Read the code that the change touches before you touch it, and write as it is written.',
      'Change or add tests so that each would fail without your change, and run all of them.',
      'Treat all input from outside the program as hostile: check it, and escape it where it is shown.',
      'In your summary say what changed for the users and how you know that it works.',
    ],
  },
  'code-reviewer': {
    responsibilities: [
      'Judge whether the change does what the issue asks for, and breaks nothing that worked.',
      'Look for faults first: wrong results, unchecked input, missing escaping, races, leaks, errors that are swallowed.',
      'Name each fault with its file and line, and what would be right.',
      'Ask for changes only for what is wrong or will mislead the next reader.',
    ],
  },
  'test-reviewer': {
    responsibilities: [
      'Run the tests and report what you saw.',
      'Judge whether each behaviour that the issue asks for has a test that would fail without the change.',
      'Name the cases that matter and are missing; do not ask for tests of what cannot go wrong.',
    ],
  },
  'conflict-resolver': {
    responsibilities: [
      'Settle merge conflicts so that both sides keep what they meant.',
      'Change nothing but the conflicts and what they make necessary.',
      'Run the tests after the last marker is gone.',
    ],
  },
};

/** The catalog's Change: from an issue to a merged pull request. */
export const changeAgentWorkflow: AgentWorkflowSpec = {
  enabled: true,
  triggers: [
    { type: 'event', event: 'issue.opened', labels: [changeLabel] },
    { type: 'event', event: 'issue.labeled', labels: [changeLabel] },
  ],
  steps: [
    { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
    review('review-code', 'code-reviewer'),
    review('review-tests', 'test-reviewer'),
    { name: 'approve-change', type: 'human' },
    {
      name: 'resolve-conflicts',
      type: 'agent',
      role: 'conflict-resolver',
      mode: 'change',
      when: { pullRequest: { conflicted: true } },
    },
    { name: 'merge', type: 'merge' },
  ],
};

function review(name: string, role: string): AgentWorkflowSpec['steps'][number] {
  return { name, type: 'agent', role, mode: 'report', parallel: 'review', reviews: 'implement' };
}

export const catalogAgentWorkflows: Record<string, AgentWorkflowSpec> = { change: changeAgentWorkflow };
