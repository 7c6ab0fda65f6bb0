import type { AgentRoleSpec, AgentStep, AgentWorkflowSpec, StepSpec } from './kinds.ts';

/** An issue with this label starts the default AgentWorkflow "change". */
const changeLabel = 'service';
/** An issue with this label starts "issue-hydration", which then removes the label. */
const hydrationLabel = 'needs-hydration';
/** An issue with this label starts "design", which then removes the label. */
const designLabel = 'needs-design';

/** The AgentRoles that each new org gets. */
export const defaultRoles: Record<string, AgentRoleSpec> = {
  implementer: {
    responsibilities: [
      'Do what the issue asks for, completely and nothing more.',
      'Read the code before you change it, and follow its style.',
      'Change or add tests so that each would fail without your change, and run all of them.',
      'Treat all input from outside the program as hostile: check it, and escape it where it is shown.',
      'In your summary, say what changed for users and how you verified that it works.',
    ],
  },
  'code-reviewer': {
    responsibilities: [
      'Judge whether the change does what the issue asks for, and breaks nothing that worked.',
      'Look for faults first: wrong results, unchecked input, missing escaping, races, leaks, swallowed errors.',
      'Name each fault with its file, its line and the correction.',
      'Request changes only for what is wrong or would mislead the next reader.',
    ],
  },
  'test-reviewer': {
    responsibilities: [
      'Run the tests and report the results.',
      'Judge whether each behaviour that the issue asks for has a test that would fail without the change.',
      'Name the missing cases that matter; do not request tests of what cannot fail.',
    ],
  },
  'conflict-resolver': {
    responsibilities: [
      'Resolve merge conflicts so that both sides keep their intent.',
      'Change only the conflicts and what they make necessary.',
      'Run the tests after you have removed the last conflict marker.',
    ],
  },
  'issue-hydrator': {
    responsibilities: [
      'Describe what an issue asks for so clearly that a person who does not know the code could judge the result.',
      'Read the code first; name the files and functions that the issue affects, and what they do today.',
      'Write in this order: the goal and its reason; the current behaviour; the acceptance criteria as a list; what is out of scope; open questions.',
      'Separate what the issue says from what you concluded, and never decide an open question yourself.',
      'Mention no person and close nothing: your text is a comment, not an action.',
    ],
    tools: ['list_files', 'read_file', 'search'],
  },
  architect: {
    responsibilities: [
      'Design how the issue is best done in this code, before anyone writes it.',
      'Read the code first; name the modules that the design affects, and what they are responsible for today.',
      'Write in this order: the design in a few sentences; the alternatives and why not; what changes for users, data and operations; the risks; the order of the work.',
      'Prefer the smallest design that does what the issue asks for and fits the structure of the code.',
      'In your summary, say in at most three sentences what will be different and why, for readers who do not know the code.',
      'Mention no person and close nothing: your text is a comment, not an action.',
    ],
    tools: ['list_files', 'read_file', 'search'],
  },
  'release-writer': {
    responsibilities: [
      'Write what a Release means for its readers, from its Changes, commits and notes, and from the code for what those leave out.',
      'Write only about what is in the Release; promise nothing, and name no person, customer or number that you were not given.',
      'In a step for customers, say what they can do now and how, in their words, without internal names. In a step for the team, say what changed, why, and what to watch.',
      'Begin with the version and one sentence, then write at most five points.',
    ],
    tools: ['list_files', 'read_file', 'search'],
  },
};

/**
 * Leads an issue to a merged pull request. The `onChange` trigger has no filters, so every pull request that a person
 * opens or pushes to starts it too; an org narrows the trigger or removes it to avoid that.
 */
export const changeAgentWorkflow: AgentWorkflowSpec = {
  enabled: true,
  triggers: [
    { type: 'event', event: 'issue.opened', labels: [changeLabel] },
    { type: 'event', event: 'issue.labeled', labels: [changeLabel] },
    { type: 'onChange' },
  ],
  steps: [
    implementStep(),
    reviewStep('review-code', 'code-reviewer'),
    reviewStep('review-tests', 'test-reviewer'),
    ...approvalAndMergeSteps(),
  ],
};

/** Leaves out the reviews, for small changes that a person reviews alone. It has no triggers, so people start it. */
const quickChangeAgentWorkflow: AgentWorkflowSpec = {
  enabled: true,
  triggers: [],
  steps: [implementStep(), ...approvalAndMergeSteps()],
};

/** Issues of people who are not members of the repo start no run until a member adds the label. */
const issueHydrationAgentWorkflow: AgentWorkflowSpec = {
  description: 'Comments on what a new issue leaves open.',
  enabled: true,
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

/** People ask for a design by the label. The summary of the step tells announcements what the Change means. */
const designAgentWorkflow: AgentWorkflowSpec = {
  description: 'Comments on an issue how it is best done. Add the label needs-design to the issue to ask for it.',
  enabled: true,
  triggers: [{ type: 'event', event: 'issue.labeled', labels: [designLabel] }],
  steps: [
    {
      name: 'design',
      type: 'agent',
      role: 'architect',
      mode: 'report',
      deliver: 'issue',
      removeLabels: [designLabel],
    },
  ],
};

const goToMarketAgentWorkflow: AgentWorkflowSpec = {
  description:
    'Drafts the announcements of each Release. It is off, because every Release would cost the org money. To turn it on, an org admin enables it (Settings, AgentWorkflows).',
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

function implementStep(): AgentStep {
  return { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' };
}

function approvalAndMergeSteps(): StepSpec[] {
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

function reviewStep(name: string, role: string): AgentStep {
  return { name, type: 'agent', role, mode: 'report', parallel: 'review', reviews: 'implement' };
}

export const defaultAgentWorkflows = {
  change: changeAgentWorkflow,
  'quick-change': quickChangeAgentWorkflow,
  'issue-hydration': issueHydrationAgentWorkflow,
  design: designAgentWorkflow,
  'go-to-market': goToMarketAgentWorkflow,
} satisfies Record<string, AgentWorkflowSpec>;
export const defaultAgentWorkflowNames = Object.keys(defaultAgentWorkflows) as (keyof typeof defaultAgentWorkflows)[];
