import { stripVTControlCharacters } from 'node:util';

/**
 * Makes a text of an agent or another server safe for a terminal: without these characters, it cannot move the cursor or
 * change the order of another text.
 */
export const toPlainText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replaceAll(
    /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu,
    '\u{FFFD}',
  );
