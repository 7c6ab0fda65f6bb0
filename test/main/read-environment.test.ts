import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../src/main/read-environment.ts';
import { scratchFolder } from '../support/programs.ts';

it('takes a secret from the file that its variable names, without the line’s end', async () => {
  const file = join(await scratchFolder(), 'key');
  await writeFile(file, 'secret\n');
  const environment = await readEnvironment({ TEMPORAL_API_KEY_FILE: file, PORT: '1' });
  expect(environment).toMatchObject({ TEMPORAL_API_KEY: 'secret', PORT: '1' });
});

it('does not choose between two, and says which file it cannot read', async () => {
  await expect(readEnvironment({ MODEL_API_KEY: 'a', MODEL_API_KEY_FILE: '/b' })).rejects.toThrow(
    'Both MODEL_API_KEY and MODEL_API_KEY_FILE are set',
  );
  await expect(readEnvironment({ MODEL_API_KEY_FILE: '/nowhere' })).rejects.toThrow(/MODEL_API_KEY_FILE.*nowhere/);
});
