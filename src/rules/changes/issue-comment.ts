const charactersMax = 65_536;
/** An invisible character that keeps the code host from interpreting the text around it. */
const zeroWidthSpace = '\u200b';

/** Identifies the comment of a step. Agents cannot forge it, because `sanitize` breaks every HTML comment. */
export const commentMarker = ({ run, step }: { run: string; step: string }): string =>
  `<!-- service:run=${run} step=${step} -->`;

/** Turns a draft into an issue comment that mentions no person, closes no issue, hides no text and loads no content. */
export function toIssueComment(draft: string, source: { run: string; step: string }): string {
  const marker = commentMarker(source);
  const signature = `\n\n---\n_Written by an agent in the run \`${source.run}\`._`;
  return `${marker}\n${truncate(sanitize(draft).trim(), charactersMax - marker.length - signature.length - 1)}${signature}`;
}

function sanitize(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // Control characters, including those that change the reading direction, could hide or reorder text.
      .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
      // An HTML entity could encode an @.
      .replaceAll(/&(?=#|commat)/gi, `&${zeroWidthSpace}`)
      .replaceAll(/@(?=[\p{L}\p{N}_-])/gu, `@${zeroWidthSpace}`)
      .replaceAll(closingKeywords, (keyword) => `${keyword.slice(0, 2)}${zeroWidthSpace}${keyword.slice(2)}`)
      // An HTML comment could hide text or forge a marker, and loaded content reveals its readers to another server.
      .replaceAll(/<(?=!--|\/?(?:img|picture|source|video|audio|svg|iframe|object|embed)\b)/gi, `<${zeroWidthSpace}`)
      .replaceAll('![', `!${zeroWidthSpace}[`)
  );
}

/** The code host closes an issue that is named after one of these words. */
const closingKeywords = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=:?\s+(?:\S*#|gh-|https?:\S*\/)\d)/gi;

const truncationNote = '\n\n_(The rest is truncated.)_';

function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - truncationNote.length);
  // A cut between the two halves of a surrogate pair would leave an invalid character.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${truncationNote}`;
}
