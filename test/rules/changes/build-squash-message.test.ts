import { expect, it } from 'vitest';
import { buildSquashMessage } from '../../../src/rules/changes/build-squash-message.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
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
  ['feat(api)!: drop v1', 'feat(api)!: drop v1'],
])('turns the issue title %j into the conventional title %j', (title, expected) => {
  expect(build({ target: issue }, title).title).toBe(expected);
});

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
