/** RFC 8628, section 6.1: no vowels, so that no code is a word, and no digits that look like letters. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
const pattern = new RegExp(`^[${letters}]{${length}}$`);

/** Builds a code of eight letters that a person compares and types, such as `WDJB-MJHT`. */
export function createUserCode(randomIndex: (exclusiveMax: number) => number): string {
  const code = Array.from({ length }, () => letters.charAt(randomIndex(letters.length))).join('');
  return formatUserCode(code);
}

/** Returns the code that a person typed in its usual form, or undefined if it cannot be one. */
export function parseUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return pattern.test(code) ? formatUserCode(code) : undefined;
}

const formatUserCode = (code: string): string => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
