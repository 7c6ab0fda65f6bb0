/** Characters that change the order of other text, or that no reader can see; and the mark, which no text may imitate. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|⟨(?=U\+)/g;

/** Names each invisible character, so that a text cannot look like another one: "⟨U+202E⟩". */
export const revealInvisible = (text: string): string =>
  text.replaceAll(
    invisible,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Returns the text that was revealed, with which a request names the same thing. */
export const restoreInvisible = (text: string): string =>
  text.replaceAll(/⟨U\+([\dA-F]{4})⟩/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Reads a response of the API. A spec stays as it is, because a form sends it back, and so does an address. */
export function readJson(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  return text.search(invisible) !== -1 || /\\u(061c|20[0-6]|27e8|feff)/i.test(text) ? revealAll(value) : value;
}

function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return revealInvisible(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, /^(spec|url)$/.test(name) ? part : revealAll(part)]),
  );
}
