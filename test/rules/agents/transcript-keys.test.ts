import { expect, it } from 'vitest';
import { evidenceKey, guidanceKey, runPrefix, stepPrefix, turnKey } from '../../../src/rules/agents/transcript-keys.ts';

it('orders the turns of a step by their keys', () => {
  const keys = [1, 2, 10, 100].map((turn) => turnKey({ uid: 'u', step: 's', turn }, 'prompt'));
  expect(keys.toSorted()).toEqual(keys);
  expect(keys[0]).toBe('runs/u/s/0001/prompt');
});

it('keeps all keys of a step under the prefixes of the step and the run', () => {
  const keys = [turnKey({ uid: 'u', step: 's', turn: 1 }, 'patch'), evidenceKey({ uid: 'u', step: 's' }, 'abc')];
  for (const key of keys) {
    expect(key.startsWith(stepPrefix('u', 's'))).toBe(true);
    expect(key.startsWith(runPrefix('u'))).toBe(true);
  }
});

it('stores guidance for the turn after the last one', () => {
  expect(guidanceKey('u', { name: 's' })).toBe(turnKey({ uid: 'u', step: 's', turn: 1 }, 'guidance'));
  expect(guidanceKey('u', { name: 's', turns: 4 })).toBe(turnKey({ uid: 'u', step: 's', turn: 5 }, 'guidance'));
});
