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

it('keeps the guidance of each person for a turn', () => {
  const turn = { uid: 'u', step: 's', turn: 5 };
  const keys = ['bob@example.com', 'eve@example.com'].map((by) => guidanceKey(turn, by));
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key.startsWith(`${turnKey(turn, 'guidance')}/`)).toBe(true);
});
