import { expect, it } from 'vitest';
import { isPartKey, partKey, readParts } from '../../../activities/backups/parts.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('reads the parts of one backup in order, up to the first that is missing', async () => {
  const blobs = directoryBlobs(await createScratchFolder());
  for (const number of [11, 2, 1, 3]) await blobs.put(partKey({ backup: 'a' }, number), Buffer.from(String(number)));
  await blobs.put(partKey({ backup: 'ab' }, 4), Buffer.from('other'));
  const parts = await Array.fromAsync(readParts(blobs, { backup: 'a' }));
  expect(parts.map((part) => Buffer.from(part).toString())).toEqual(['1', '2', '3']);
});

it.each([
  [partKey({ backup: 'backup-20260101120000-1a2b3c4d' }, 1), true],
  [`delivery/${partKey({ backup: 'backup-20260101120000-1a2b3c4d' }, 1_234_567)}`, true],
  ['backup-20260101120000-1a2b3c4d/notes', false],
  ['runs/backup-1/000001.age', false],
  ['000001.age', false],
])('tells whether the blob %s is a part of an archive: %s', (key, isPart) => {
  expect(isPartKey(key)).toBe(isPart);
});
