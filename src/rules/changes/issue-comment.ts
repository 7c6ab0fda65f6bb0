const charactersMax = 65_536;
/** Seen by nobody, and enough for the code host to make nothing of what it stands in. */
const breaker = '\u200b';

/** Tells the comment of a step from every other; agents cannot write one, since it is broken in what they write. */
export const commentMarker = ({ run, step }: { run: string; step: string }): string =>
  `<!-- service:run=${run} step=${step} -->`;

/** A step's draft as a comment on an issue: it calls nobody, closes nothing, hides nothing and loads nothing. */
export function issueComment(draft: string, of: { run: string; step: string }): string {
  const marker = commentMarker(of);
  const signature = `\n\n---\n_Written by an agent in the run \`${of.run}\`._`;
  return `${marker}\n${cut(harmless(draft).trim(), charactersMax - marker.length - signature.length - 1)}${signature}`;
}

function harmless(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // Control characters, and those that show text in another order than it has.
      .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
      // An entity could be an @ by another name.
      .replaceAll(/&(?=#|commat)/gi, `&${breaker}`)
      .replaceAll(/@(?=[\p{L}\p{N}_-])/gu, `@${breaker}`)
      .replaceAll(closing, (keyword) => `${keyword.slice(0, 2)}${breaker}${keyword.slice(2)}`)
      // A comment could hide the rest or look like ours, and whatever is loaded tells its server who reads.
      .replaceAll(/<(?=!--|\/?(?:img|picture|source|video|audio|svg|iframe|object|embed)\b)/gi, `<${breaker}`)
      .replaceAll('![', `!${breaker}[`)
  );
}

/** The words that close an issue, where one is named after them. */
const closing = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=:?\s+(?:\S*#|gh-|https?:\S*\/)\d)/gi;

const cutMark = '\n\n_(The rest is cut.)_';

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - cutMark.length);
  // Half of a character is none.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${cutMark}`;
}
