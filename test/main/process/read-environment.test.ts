import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/main/process/read-environment.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('reads a secret from the file that its variable names, without the trailing newline', async () => {
  const file = join(await createScratchFolder(), 'key');
  await writeFile(file, 'secret\n');
  const environment = await readEnvironment({ TEMPORAL_API_KEY_FILE: file, PORT: '1' });
  expect(environment).toMatchObject({ TEMPORAL_API_KEY: 'secret', PORT: '1' });
});

it.each(['', ' \n'])('fails when the file of a secret contains nothing, like %j', async (text) => {
  const file = join(await createScratchFolder(), 'keys');
  await writeFile(file, text);
  await expect(readEnvironment({ TEMPORAL_ENCRYPTION_KEYS_FILE: file })).rejects.toThrow(
    'TEMPORAL_ENCRYPTION_KEYS_FILE names an empty file. Write the value into it, or remove the variable.',
  );
});

it('fails when a secret is set twice or its file cannot be read', async () => {
  await expect(readEnvironment({ MODEL_API_KEY: 'a', MODEL_API_KEY_FILE: '/b' })).rejects.toThrow(
    'Both MODEL_API_KEY and MODEL_API_KEY_FILE are set',
  );
  await expect(readEnvironment({ MODEL_API_KEY_FILE: '/missing' })).rejects.toThrow(
    /^MODEL_API_KEY_FILE names a file that cannot be read \(.*missing'\)\. Set it to a file that this user can read\.$/,
  );
});
