/** The tag as the system prompt explains it. */
export const untrustedTag = '<untrusted-content>';

/** Wraps text of others in a tag that the text itself cannot close, as a defence against prompt injection. */
export function wrapUntrusted(source: string, text: string): string {
  const harmless = text.replaceAll(/<(\/?)untrusted-content/gi, '<$1untrusted\u2010content');
  return `<untrusted-content source="${source.replaceAll(/["<>\n]/g, ' ')}">\n${harmless}\n</untrusted-content>`;
}
