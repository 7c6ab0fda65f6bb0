import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseIssue } from '../../../src/main/demo/prepare-demo-input.ts';
import { UsageError } from '../../../src/main/process/parse-arguments.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('reads an issue from a text or a file, with the first line as its title', async () => {
  const file = join(await createScratchFolder(), 'issue.md');
  await writeFile(file, '# Say goodbye\n\nIn the headline.\n');
  expect(await parseIssue(file)).toEqual({ title: 'Say goodbye', body: 'In the headline.' });
  expect(await parseIssue('Grüße\nsagen')).toEqual({ title: 'Grüße', body: 'sagen' });
  const long = `${'Greet '.repeat(40)}by name`;
  expect(await parseIssue(`${long}\nToday.`)).toEqual({ title: long.slice(0, 200), body: `${long}\nToday.` });
});

it.each([[''], ['  \n ']])('rejects the empty issue "%s"', async (issue) => {
  await expect(parseIssue(issue)).rejects.toThrow(UsageError);
});
