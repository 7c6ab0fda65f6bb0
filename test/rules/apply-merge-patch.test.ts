import { expect, it } from 'vitest';
import { applyMergePatch } from '../../src/rules/apply-merge-patch.ts';

it('replaces the fields that the patch names, and removes those that are null', () => {
  const before: { name: string; note?: string; tags?: string[] } = { name: 'a', note: 'old', tags: ['x'] };
  const patch = { note: null, tags: ['y'] };
  const after = applyMergePatch(before, patch);
  expect(after).toEqual({ name: 'a', tags: ['y'] });
  expect(after).not.toHaveProperty('note');
  expect(applyMergePatch(after, patch)).toEqual(after);
  expect(before).toEqual({ name: 'a', note: 'old', tags: ['x'] });
});
