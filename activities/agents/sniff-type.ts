import { fileTypeFromBuffer } from 'file-type';

/** Types that a browser shows as what they are; a text of any kind, markup too, is only text. */
const shown = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'video/mp4', 'video/webm'];

/** A file's type by what is in it, whatever its name says. */
export async function sniffType(bytes: Uint8Array): Promise<string> {
  // A file that only begins like one of a kind may make its reader throw.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found && shown.includes(found.mime)) return found.mime;
  const text = textOf(bytes);
  if (text !== undefined) return isJson(text) ? 'application/json' : 'text/plain';
  return found?.mime ?? 'application/octet-stream';
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Escape is what colours a log.
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
