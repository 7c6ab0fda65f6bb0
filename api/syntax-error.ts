/** Where a text stops being JSON, without repeating more of it than one character. */
export function placeOfSyntaxError(text: string): string {
  if (text.trim() === '') return 'it is empty';
  const message = engineMessage(text);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `something is wrong at ${lineAndColumn(text, Number(position))}`;
  // For some mistakes the engine names the character instead of its position.
  const character = /^Unexpected token '(.{1,2})'/u.exec(message)?.[1];
  return character === undefined ? 'it ends too early' : `an unexpected "${character}" is in it`;
}

function engineMessage(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
