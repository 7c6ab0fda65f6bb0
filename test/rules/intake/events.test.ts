import { expect, it } from 'vitest';
import { EventTrigger } from '../../../src/rules/agents/kinds.ts';
import { eventName, type CodehostEvent } from '../../../src/rules/intake/events.ts';

const facts = { repo: 'acme/hello', number: 7, labels: [] };

it.each<[CodehostEvent, string]>([
  [{ ...facts, event: 'issues', action: 'opened', senderIsBot: false, isPullRequest: false }, 'issue.opened'],
  [{ ...facts, event: 'issues', action: 'labeled', senderIsBot: false, isPullRequest: false }, 'issue.labeled'],
  [
    { ...facts, event: 'pull_request', action: 'synchronize', baseBranch: 'main', headBranch: 'fix' },
    'pull_request.synchronize',
  ],
])('names the event %j', (event, name) => {
  expect(eventName(event)).toBe(name);
});

it('uses the names of triggers for issue events', () => {
  const names = EventTrigger.shape.event.options.filter((name) => name.startsWith('issue.'));
  const actions = ['opened', 'labeled'] as const;
  expect(
    actions.map((action) => eventName({ ...facts, event: 'issues', action, senderIsBot: false, isPullRequest: false })),
  ).toEqual(names);
});
