import { expect, it } from 'vitest';
import { imageDeleted } from '../../../src/rules/environments/image-deleted.ts';
import type { Release } from '../../../src/rules/releases/kinds.ts';

it('names the Release, and says how its version can run again', () => {
  const release = { metadata: { name: 'shop-v1.0.0' }, spec: { version: 'v1.0.0' } } as Release;
  expect(imageDeleted(release)).toMatchObject({
    code: 'conflict',
    reason: 'image-deleted',
    message:
      'The image of the Release "shop-v1.0.0" was deleted, because many newer builds have replaced it. Promote a newer Release, or bring the code of v1.0.0 back in a new Change.',
  });
});
