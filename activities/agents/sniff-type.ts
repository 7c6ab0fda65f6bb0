import { fileTypeFromBuffer } from 'file-type';

/** Types that a browser may render; any text except an SVG, including other markup, is served as plain text. */
const displayableTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'video/mp4',
  'video/webm',
];

/** Detects the type from the content, because the name can be misleading. */
export async function sniffType(bytes: Uint8Array): Promise<string> {
  // The detection throws on some files that only start like one of a known type.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found && displayableTypes.includes(found.mime)) return found.mime;
  const text = decodeText(bytes);
  if (text !== undefined && isSvg(text)) return 'image/svg+xml';
  if (text !== undefined) return isJson(text) ? 'application/json' : 'text/plain';
  return found?.mime ?? 'application/octet-stream';
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // The escape character is allowed, because coloured logs contain it.
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const svgStart =
  /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*(?:<!DOCTYPE svg[^[>]*>\s*)?<svg[\s>]/i;

/** Entities can make a small file expand without end, so an image with its own entities is shown as text. */
const isSvg = (text: string): boolean => svgStart.test(text) && !/<!ENTITY/i.test(text);

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
