export type Piece = { text: string; isHit: boolean };

/** Marks are elements, so that a search for one letter must not fill the page with them. */
export const marksMax = 1_000;

/** Splits a text where it contains the words, in any case. The count is true also above the number of marks. */
export function findText(text: string, words: string): { pieces: Piece[]; count: number } {
  if (words === '') return { pieces: [{ text, isHit: false }], count: 0 };
  const pieces: Piece[] = [];
  const pattern = new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');
  let [count, at] = [0, 0];
  for (const { 0: hit, index } of text.matchAll(pattern)) {
    count += 1;
    if (count > marksMax) continue;
    pieces.push({ text: text.slice(at, index), isHit: false }, { text: hit, isHit: true });
    at = index + hit.length;
  }
  return { pieces: [...pieces, { text: text.slice(at), isHit: false }].filter((piece) => piece.text !== ''), count };
}

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[\d;]*[A-Za-z]/g;

/** Logs of tests are often coloured for a terminal. */
export const removeColours = (text: string): string => text.replaceAll(colours, '');
