import { expect, it } from 'vitest';
import { isMachine, toWaitedFor } from '../../../../src/clients/ui/parts/waited-for.ts';

it.each([
  ['member', 'a member', false],
  ['org-admin', 'an org-admin', false],
  ['codehost', 'the code host', true],
  ['cluster', 'the cluster of the zone', true],
])('names %s as %s', (role, text, isAutomatic) => {
  expect(toWaitedFor(role)).toBe(text);
  expect(isMachine(role)).toBe(isAutomatic);
});
