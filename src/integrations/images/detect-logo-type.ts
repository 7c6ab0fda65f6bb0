import { fileTypeFromBuffer } from 'file-type';
import { type LogoType, logoTypes } from '../../rules/products/logo.ts';
import { svgViolations } from './svg-violations.ts';

export type LogoDetection = { type: LogoType } | { violations: string[] };

const isLogoType = (type: string): type is LogoType => logoTypes.some((known) => known === type);

/** Detects the type of an image from its bytes, or lists why they are not a valid logo. */
export async function detectLogoType(bytes: Uint8Array): Promise<LogoDetection> {
  if (bytes.length === 0) return { violations: ['It is empty.'] };
  // The detection may throw on a truncated file.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found && isLogoType(found.mime)) return { type: found.mime };
  if (found && !/xml/.test(found.mime))
    return { violations: [`It is ${found.mime}, not an SVG, PNG, JPEG or WebP image.`] };
  const violations = svgViolations(bytes);
  return violations.length === 0 ? { type: 'image/svg+xml' } : { violations };
}
