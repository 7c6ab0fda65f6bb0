/**
 * Returns whether a glob matches a text: `*` stands for any characters except `/`, `**` for any characters, and every
 * other character for itself. Each part of the glob visits each position of the text once, so that no glob of an org
 * can block the event loop, as a backtracking matcher would.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = glob.match(/\*{1,2}|[^*]+/g) ?? [];
  // An entry is true when the parts so far can end at its position of the text.
  const start = Array.from({ length: text.length + 1 }, (_, at) => at === 0);
  const ends = parts.reduce((reached, part) => (part.startsWith('*') ? skip : read)(reached, part, text), start);
  return ends[text.length] === true;
}

function skip(reached: boolean[], star: string, text: string): boolean[] {
  let isOpen = false;
  return reached.map((isReached, at) => {
    isOpen = isReached || (isOpen && (star === '**' || text[at - 1] !== '/'));
    return isOpen;
  });
}

const read = (reached: boolean[], literal: string, text: string): boolean[] =>
  reached.map((_, at) => reached[at - literal.length] === true && text.startsWith(literal, at - literal.length));
