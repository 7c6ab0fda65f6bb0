import { expect, it } from 'vitest';
import { promoteReleaseId } from '../../../src/rules/releases/promote-release-id.ts';

it('allows one Release at a time per commit', () => {
  expect(promoteReleaseId({ org: 'acme', product: 'hello', commit: 'c1' })).toBe('promote-release/acme/hello/c1');
});
