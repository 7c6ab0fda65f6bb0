import { expect, it } from 'vitest';
import { partKey, readParts } from '../../../activities/backups/parts.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('reads the parts of one backup in order, up to the first that is missing', async () => {
  const blobs = directoryBlobs(await createScratchFolder());
  for (const number of [11, 2, 1, 3]) await blobs.put(partKey({ backup: 'a' }, number), Buffer.from(String(number)));
  await blobs.put(partKey({ backup: 'ab' }, 4), Buffer.from('other'));
  const parts = await Array.fromAsync(readParts(blobs, { backup: 'a' }));
  expect(parts.map((part) => Buffer.from(part).toString())).toEqual(['1', '2', '3']);
});
