import { expect, it } from 'vitest';
import { ignored, ignoredReasons } from '../../../src/rules/intake/ignored-reasons.ts';

it('explains each reason in words, which a more exact message replaces', () => {
  for (const reason of ignoredReasons) expect(ignored(reason).message).toMatch(/ /);
  expect(ignored('event-by-bot', 'triage[bot] opened the issue')).toEqual({
    reason: 'event-by-bot',
    message: 'triage[bot] opened the issue',
  });
});
