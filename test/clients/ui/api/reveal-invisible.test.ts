import { expect, it } from 'vitest';
import { readJson, restoreInvisible, revealInvisible } from '../../../../src/clients/ui/api/reveal-invisible.ts';

it('shows each invisible character, and gives back the text that was meant', () => {
  const texts = ['src/\u202Egpj.evil\u200B.ts', '\u2066 } \u2069 if (isAdmin)', '\uFEFFa⟨U+202E⟩b', '⟨x⟩ plain'];
  expect(texts.map(revealInvisible)).toEqual([
    'src/⟨U+202E⟩gpj.evil⟨U+200B⟩.ts',
    '⟨U+2066⟩ } ⟨U+2069⟩ if (isAdmin)',
    '⟨U+FEFF⟩a⟨U+27E8⟩U+202E⟩b',
    '⟨x⟩ plain',
  ]);
  expect(texts.map((text) => restoreInvisible(revealInvisible(text)))).toEqual(texts);
});

it('reveals every text of a response except those that are sent back or opened', () => {
  const text = 'a\u202Eb';
  expect(readJson(JSON.stringify({ title: text, list: [{ text }], spec: { text }, url: text, count: 1 }))).toEqual({
    title: 'a⟨U+202E⟩b',
    list: [{ text: 'a⟨U+202E⟩b' }],
    spec: { text },
    url: text,
    count: 1,
  });
  expect(readJson('{"escaped":"a\\u202eb","mark":"\\u27e8U+1"}')).toEqual({
    escaped: 'a⟨U+202E⟩b',
    mark: '⟨U+27E8⟩U+1',
  });
});
