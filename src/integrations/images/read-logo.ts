import { fileTypeFromBuffer } from 'file-type';
import { type LogoType, logoTypes } from '../../rules/catalog/logo.ts';
import { svgProblems } from './svg-problems.ts';

export type ReadLogo = { type: LogoType } | { problems: string[] };

const isLogoType = (type: string): type is LogoType => logoTypes.some((known) => known === type);

/** What kind of image the bytes are, whatever they were said to be; or why they are no logo. */
export async function readLogo(bytes: Uint8Array): Promise<ReadLogo> {
  if (bytes.length === 0) return { problems: ['It is empty.'] };
  // A file that only begins like one of a kind may make its reader throw.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found && isLogoType(found.mime)) return { type: found.mime };
  if (found && !/xml/.test(found.mime))
    return { problems: [`It is ${found.mime}, not an SVG, PNG, JPEG or WebP image.`] };
  const problems = svgProblems(bytes);
  return problems.length === 0 ? { type: 'image/svg+xml' } : { problems };
}
