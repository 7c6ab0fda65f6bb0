const [width, height] = [1280, 800];
const lineCharactersMax = 64;
const linesMax = 8;

/** Draws the image that replaces a missing screenshot and shows the reason. */
export function drawPlaceholder(title: string, reason: string): string {
  const lines = wrapText(reason).map(
    (line, at) => `<text x="640" y="${430 + 40 * at}" font-size="26" fill="#57606a">${escapeXml(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="#f6f8fa"/>`,
    '<g fill="none" stroke="#afb8c1" stroke-width="6" stroke-linejoin="round">',
    '<rect x="570" y="200" width="140" height="100" rx="12"/>',
    '<circle cx="640" cy="250" r="26"/><path d="M612 200l12-22h32l12 22M560 320L720 180"/></g>',
    '<g font-family="sans-serif" text-anchor="middle">',
    `<text x="640" y="380" font-size="32" fill="#24292f">${escapeXml(title)}</text>`,
    ...lines,
    '</g></svg>',
  ].join('\n');
}

function wrapText(text: string): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/).flatMap(splitLongWord)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= lineCharactersMax) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.length > linesMax ? [...lines.slice(0, linesMax), '…'] : lines;
}

const splitLongWord = (word: string): string[] => word.match(new RegExp(`.{1,${lineCharactersMax}}`, 'gu')) ?? [];

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string =>
  text.replaceAll(/[\p{Cc}\ufffe\uffff]/gu, ' ').replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '');
