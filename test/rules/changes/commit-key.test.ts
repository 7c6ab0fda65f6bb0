import { expect, it } from 'vitest';
import { commitKey, orgCommitsPrefix } from '../../../src/rules/changes/commit-key.ts';

it('keeps the commits of orgs apart', () => {
  expect(commitKey('acme', 'c1')).toBe(`${orgCommitsPrefix('acme')}c1`);
  expect(commitKey('acme', 'c1')).not.toBe(commitKey('globex', 'c1'));
});
