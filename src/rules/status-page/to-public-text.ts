/** Control characters, and characters that reorder or hide text, with which a text could look like another one. */
const unreadable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Returns a text as every reader sees it. Line breaks stay, and so does the joiner of emoji and scripts that need it. */
export const toPublicText = (text: string): string =>
  text
    .replaceAll(unreadable, (character) => (/[\n\u200c\u200d]/.test(character) ? character : ' '))
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
