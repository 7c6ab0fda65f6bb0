import { expect, it } from 'vitest';
import { buildSquashMessage } from '../../../src/rules/changes/build-squash-message.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import { nextVersion } from '../../../src/rules/releases/next-version.ts';
import { buildResource } from '../build-resource.ts';

const build = (spec: Partial<RunSpec>, title?: string) =>
  buildSquashMessage(
    buildResource(AgentWorkflowRunKind, {
      spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: [], roles: {}, ...spec },
      status: { phase: 'Running', steps: [], ...(title === undefined ? {} : { issue: { title, url: '' } }) },
      metadata: { name: 'change-1' },
    }),
  );
const issue = { repo: 'acme/shop', number: 7 };

it.each([
  ['Add a button', 'feat: Add a button'],
  ['fix: a typo', 'fix: a typo'],
  ['feat(api)!: drop v1', 'feat(api): drop v1'],
  ['fix!: x\n\nBREAKING CHANGE: y', 'fix: x BREAKING CHANGE: y'],
  ['BREAKING CHANGE: y', 'feat: BREAKING CHANGE: y'],
  ['!: x', 'feat: !: x'],
])('turns the issue title %j into the conventional title %j', (title, expected) => {
  expect(build({ target: issue }, title).title).toBe(expected);
});

it.each([
  [{ instructions: 'feat!: drop v1' }, 'a title', 'feat!: a title'],
  [{ instructions: 'Drop v1\n\nBREAKING CHANGE: v1 is gone' }, 'fix(api)!: drop v1', 'fix(api)!: drop v1'],
  [{ instructions: 'feat!: drop v1' }, undefined, 'feat!: drop v1'],
])('takes a breaking change from the instructions %j', (spec, title, expected) => {
  const built = build({ target: issue, ...spec }, title).title;
  expect(built).toBe(expected);
  expect(nextVersion(['v1.2.3'], [built])).toBe('v2.0.0');
});

it.each(['feat!: x', 'BREAKING CHANGE: x', 'x\nBREAKING-CHANGE: y'])(
  'lets the title %j of an issue make no major version',
  (title) => {
    expect(nextVersion(['v1.2.3'], [title])).toBe('v2.0.0');
    expect(nextVersion(['v1.2.3'], [build({ target: issue }, title).title])).toBe('v1.3.0');
  },
);

it('uses the first line of the instructions, or the AgentWorkflow', () => {
  expect(build({ instructions: 'Update all\nlibraries' }).title).toBe('feat: Update all');
  expect(build({}).title).toBe('chore: change');
});

it('closes the issue of the run, and no pull request', () => {
  expect(build({ target: issue }, 'x').body).toBe('Closes #7\n\nService-Run: change-1');
  expect(build({ target: { ...issue, kind: 'pull-request' } }, 'x').body).toBe('Service-Run: change-1');
});

it('limits the title to 200 characters', () => {
  expect(build({ target: issue }, 'x'.repeat(500)).title).toHaveLength(200);
});
