/** Describes the first syntax error of a JSON text, and quotes at most one character of it. */
export function locateSyntaxError(text: string): string {
  if (text.trim() === '') return 'it is empty';
  const message = parserMessage(text);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `syntax error at ${toLineAndColumn(text, Number(position))}`;
  // The parser names the character instead of its position for some errors.
  const character = /^Unexpected token '(.{1,2})'/u.exec(message)?.[1];
  return character === undefined ? 'unexpected end' : `unexpected "${character}"`;
}

function parserMessage(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

function toLineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
