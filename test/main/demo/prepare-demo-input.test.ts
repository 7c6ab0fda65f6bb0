import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parseIssue } from '../../../src/main/demo/prepare-demo-input.ts';
import { UsageError } from '../../../src/main/process/parse-arguments.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('reads an issue from a text or a file, with the first line as its title', async () => {
  const file = join(await createScratchFolder(), 'issue.md');
  await writeFile(file, '# Say goodbye\n\nIn the headline.\n');
  expect(await parseIssue(file)).toEqual({ title: 'Say goodbye', body: 'In the headline.' });
  expect(await parseIssue('issue.md', dirname(file))).toEqual({ title: 'Say goodbye', body: 'In the headline.' });
  expect(await parseIssue('Grüße\nsagen')).toEqual({ title: 'Grüße', body: 'sagen' });
  const long = `${'Greet '.repeat(40)}by name`;
  expect(await parseIssue(`${long}\nToday.`)).toEqual({ title: long.slice(0, 200), body: `${long}\nToday.` });
});

it('cuts a long title between two characters', async () => {
  const { title } = await parseIssue(`${'a'.repeat(199)}😀 and more`);
  expect(title).toBe('a'.repeat(199));
});

it.each([
  [`Title\n${'x'.repeat(60_001)}`, '--issue has 60001 characters, and 60000 are accepted: pass a shorter one.'],
  ['Title\n\0PNG', '--issue is not text: pass a text, or a file whose first line is the title.'],
])('rejects an issue that the API would not accept', async (text, message) => {
  const file = join(await createScratchFolder(), 'issue');
  await writeFile(file, text);
  await expect(parseIssue(file)).rejects.toThrow(new UsageError(message));
});

it('reads an issue that another program writes, such as that of `<(…)` in a shell', async () => {
  const pipe = join(await createScratchFolder(), 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const [issue] = await Promise.all([parseIssue(pipe), writeFile(pipe, 'Say goodbye\n')]);
  expect(issue).toEqual({ title: 'Say goodbye', body: '' });
});

it.each([
  ['', /names the folder .*: pass a text, or a file\./],
  ['/isue.md', /names the file .*isue\.md, which does not exist/],
  ['/a/b', /names the file .*\/a\/b, which does not exist/],
])('rejects the path <folder>%s, which is no issue', async (path, message) => {
  const folder = await createScratchFolder();
  await expect(parseIssue(`${folder}${path}`)).rejects.toThrow(UsageError);
  await expect(parseIssue(`${folder}${path}`)).rejects.toThrow(message);
});

it.each([['isue.md'], ['docs/issue']])('rejects %s, which is no file', async (path) => {
  await expect(parseIssue(path)).rejects.toThrow(`--issue names the file ${path}, which does not exist`);
});

it.each([['Greet visitors and/or guests'], ['Rename README.md'], ['https://example.com/issues/7']])(
  'takes "%s" as the text of an issue',
  async (text) => {
    expect(await parseIssue(text)).toEqual({ title: text, body: '' });
  },
);

it.each([[''], ['  \n ']])('rejects the empty issue "%s"', async (issue) => {
  await expect(parseIssue(issue)).rejects.toThrow(UsageError);
});
