/** The name of the mark, for telling an agent what it means. */
export const outsideTextTag = '<outside-text>';

/** Marks text that somebody else wrote, so that it cannot be taken for ours or end its own mark. */
export function outsideText(source: string, text: string): string {
  const harmless = text.replaceAll(/<(\/?)outside-text/gi, '<$1outside\u2010text');
  return `<outside-text source="${source.replaceAll(/["<>\n]/g, ' ')}">\n${harmless}\n</outside-text>`;
}
