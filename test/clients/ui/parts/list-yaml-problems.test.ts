import { expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { listYamlProblems } from '../../../../src/clients/ui/parts/list-yaml-problems.ts';

const list = (text: string) => listYamlProblems(parseDocument(text));

it('lists nothing for a document that can be read', () => {
  expect(list('base: &base { turns: 3 }\nlimits: *base\n')).toEqual([]);
  expect(list('')).toEqual([]);
});

it('names an error of the syntax with its place', () => {
  expect(list('limits: [')).toEqual([{ detail: expect.stringContaining('Flow sequence'), at: 9 }]);
});

it('names an alias that has no anchor, as an unquoted pattern is', () => {
  expect(list('branches:\n  - main\n  - *-stable\n')).toEqual([
    { detail: '*-stable is an alias in YAML, and no anchor has that name. Quote it to mean the text.', at: 23 },
  ]);
});

it('names a document whose aliases multiply its content', () => {
  const text = `a: &a [1]\nb: [${Array.from({ length: 200 }, () => '*a').join(', ')}]\n`;
  expect(list(text)).toEqual([{ detail: expect.stringContaining('alias'), at: 0 }]);
});
