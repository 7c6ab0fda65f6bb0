import type { AgentRoleSpec, AgentStep, AgentWorkflowSpec, StepSpec } from './kinds.ts';

/** Issues with this label start the catalog's Change. */
const changeLabel = 'service';
/** Issues with this label are hydrated, and lose it then. */
const hydrationLabel = 'needs-hydration';

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
  'issue-hydrator': {
    responsibilities: [
      'Describe what an issue asks for so well that somebody who does not know the code could judge the result.',
      'Read the code that it is about first; name the files and functions that it touches, and what they do today.',
      'Write in this order: what is wanted and why; how it is now; what has to be so at the end, as a list that can be checked; what is not part of it; open questions.',
      'Keep what the issue says apart from what you concluded, and never decide an open question yourself.',
      'Call nobody by name and close nothing: your text is a comment, not an action.',
    ],
    tools: ['list_files', 'read_file', 'search'],
  },
  'release-writer': {
    responsibilities: [
      'Write what a Release means for the people who read it, from its Changes, commits and notes, and from the code where those are silent.',
      'Say only what is in the Release; promise nothing, and name no person, customer or number that you were not given.',
      'In a step named for customers: what they can do now and how, in their words, without internal names. In a step named for the team: what changed, why, and what to watch.',
      'Begin with the version and one sentence; then at most five points.',
    ],
    tools: ['list_files', 'read_file', 'search'],
  },
};

/**
 * The catalog's Change: from an issue to a merged pull request. Its `onChange` has no filters, so every pull request
 * that a person opens or pushes to is worked on too; an org that does not want that narrows it, or takes it out.
 */
export const changeAgentWorkflow: AgentWorkflowSpec = {
  enabled: true,
  triggers: [
    { type: 'event', event: 'issue.opened', labels: [changeLabel] },
    { type: 'event', event: 'issue.labeled', labels: [changeLabel] },
    { type: 'onChange' },
  ],
  steps: [
    implement(),
    review('review-code', 'code-reviewer'),
    review('review-tests', 'test-reviewer'),
    ...approvedAndMerged(),
  ],
};

/** The same without reviews, for what a person sees at a glance; it starts by hand only. */
const quickChangeAgentWorkflow: AgentWorkflowSpec = {
  enabled: true,
  triggers: [],
  steps: [implement(), ...approvedAndMerged()],
};

/**
 * Says in a comment what an issue leaves open. Off at first: whoever may open an issue, which on a public repo is
 * anybody, would spend the org's money.
 */
const issueHydrationAgentWorkflow: AgentWorkflowSpec = {
  enabled: false,
  triggers: [
    { type: 'event', event: 'issue.opened' },
    { type: 'event', event: 'issue.labeled', labels: [hydrationLabel] },
  ],
  steps: [
    {
      name: 'hydrate',
      type: 'agent',
      role: 'issue-hydrator',
      mode: 'report',
      deliver: 'issue',
      removeLabels: [hydrationLabel],
    },
  ],
};

/** Drafts what to say about a Release. Off at first: it would spend the org's money at each of them. */
const goToMarketAgentWorkflow: AgentWorkflowSpec = {
  enabled: false,
  triggers: [{ type: 'event', event: 'release.cut' }],
  steps: ['write-for-customers', 'write-for-team'].map((name) => ({
    name,
    type: 'agent',
    role: 'release-writer',
    mode: 'report',
    parallel: 'drafts',
    deliver: 'chat',
  })),
};

function implement(): AgentStep {
  return { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' };
}

function approvedAndMerged(): StepSpec[] {
  return [
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
}

function review(name: string, role: string): AgentStep {
  return { name, type: 'agent', role, mode: 'report', parallel: 'review', reviews: 'implement' };
}

export const catalogAgentWorkflows = {
  change: changeAgentWorkflow,
  'quick-change': quickChangeAgentWorkflow,
  'issue-hydration': issueHydrationAgentWorkflow,
  'go-to-market': goToMarketAgentWorkflow,
} satisfies Record<string, AgentWorkflowSpec>;
export const catalogNames = Object.keys(catalogAgentWorkflows) as (keyof typeof catalogAgentWorkflows)[];
