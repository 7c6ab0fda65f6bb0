import { type LogoDirection, logoDirections } from './logo.ts';
import { allowedSvgAttributes, allowedSvgElements } from './svg-allowlist.ts';

/** Builds the request to a model for one suggestion. */
export function buildLogoPrompt(
  direction: LogoDirection,
  { name, description }: { name: string; description?: string },
): { system: string; messages: { role: 'user'; content: string }[] } {
  const brief = logoDirections.find((one) => one.name === direction)?.brief ?? direction;
  const system = [
    'You are a designer of logos. You answer with one SVG document and nothing else.',
    `It has the namespace, a viewBox, and only these elements: ${[...allowedSvgElements].join(', ')}.`,
    `Only these attributes: ${[...allowedSvgAttributes].filter((attribute) => !attribute.startsWith('xml')).join(', ')}.`,
    'No scripts, styles, links, images, fonts of your own, animations or comments. Fewer than 60 elements.',
    'Use two or three matching colours that work on white and on dark backgrounds; recognisable at 24 pixels.',
  ];
  const about = description ? `\nThe description by its owners:\n${description}` : '';
  const content = `Design the logo of a product named "${name}".${about}\n\nYour direction: ${direction}, that is ${brief}.`;
  return { system: system.join('\n'), messages: [{ role: 'user', content }] };
}

/** Extracts the SVG document from a response that may contain other text. */
export function extractSvg(response: string): string | undefined {
  const start = response.search(/<svg[\s>]/);
  const end = response.lastIndexOf('</svg>');
  return start !== -1 && end > start ? response.slice(start, end + '</svg>'.length) : undefined;
}
