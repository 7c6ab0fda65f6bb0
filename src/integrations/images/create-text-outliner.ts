import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import opentype, { type Font } from 'opentype.js';
import type { Outline, OutlineText, Typeface } from '../../rules/products/draw-logo.ts';

const fontFiles: Record<Typeface, string> = {
  sans: import.meta.resolve('@fontsource/outfit/files/outfit-latin-600-normal.woff'),
  heavy: import.meta.resolve('@fontsource/outfit/files/outfit-latin-800-normal.woff'),
  serif: import.meta.resolve('@fontsource/lora/files/lora-latin-700-normal.woff'),
};

/** Converts text to outlines, because an image that references a font looks different where the font is missing. */
export async function createTextOutliner(): Promise<OutlineText> {
  const fonts = {
    sans: await loadFont('sans'),
    heavy: await loadFont('heavy'),
    serif: await loadFont('serif'),
  };
  return (text, typeface): Outline => {
    const path = fonts[typeface].getPath(text, 0, 0, 100);
    const { x1, y1, x2, y2 } = path.getBoundingBox();
    return { d: path.toPathData(1), x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
  };
}

async function loadFont(typeface: Typeface): Promise<Font> {
  const bytes = await readFile(fileURLToPath(fontFiles[typeface]));
  return opentype.parse(new Uint8Array(bytes).buffer);
}
