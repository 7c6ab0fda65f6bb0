import { createPatch } from 'diff';
import { expect, it } from 'vitest';
import { parsePatch } from '../../../../src/clients/ui/parts/parse-patch.ts';

it('numbers the lines, and marks the words that differ', () => {
  const before = 'a: 1\nreplicas: 3\nb: 2\n';
  const after = 'a: 1\nreplicas: 4\nhosts:\nb: 2\n';
  expect(parsePatch(createPatch('values.yaml', before, after))).toEqual([
    { kind: 'same', number: 1, parts: ['a: 1'] },
    { kind: 'del', number: 2, parts: ['replicas: ', '3'] },
    { kind: 'add', number: 2, parts: ['replicas: ', '4'] },
    { kind: 'add', number: 3, parts: ['hosts:'] },
    { kind: 'same', number: 4, parts: ['b: 2'] },
  ]);
});

it('separates what is far apart, and shows a new file whole', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const changed = lines.map((line, index) => (index === 1 || index === 28 ? `${line}!` : line));
  const kinds = parsePatch(createPatch('f', lines.join('\n'), changed.join('\n'))).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'gap')).toHaveLength(1);
  expect(parsePatch(createPatch('f', '', 'one\ntwo\n')).map(({ kind, parts }) => [kind, parts[0]])).toEqual([
    ['add', 'one'],
    ['add', 'two'],
  ]);
});
