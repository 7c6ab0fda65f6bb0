import { type LogoDirection, logoDirections } from './logo.ts';
import { svgAttributes, svgElements } from './svg-allowed.ts';

/** What a model is asked for one suggestion. */
export function logoQuestion(
  direction: LogoDirection,
  { name, description }: { name: string; description?: string },
): { system: string; messages: { role: 'user'; content: string }[] } {
  const brief = logoDirections.find((one) => one.name === direction)?.brief ?? direction;
  const system = [
    'You are a designer of logos. You answer with one SVG document and nothing else.',
    `It has the namespace, a viewBox, and only these elements: ${[...svgElements].join(', ')}.`,
    `Only these attributes: ${[...svgAttributes].filter((attribute) => !attribute.startsWith('xml')).join(', ')}.`,
    'No scripts, styles, links, images, fonts of your own, animations or comments. Fewer than 60 elements.',
    'Two or three colours that go together, good on white and on dark; recognisable at 24 pixels.',
  ];
  const about = description ? `\nWhat it is, in the words of its owners:\n${description}` : '';
  const content = `Design the logo of a product named "${name}".${about}\n\nYour direction: ${direction}, that is ${brief}.`;
  return { system: system.join('\n'), messages: [{ role: 'user', content }] };
}

/** The document in an answer, whatever is said around it. */
export const svgIn = (answer: string): string | undefined => /<svg[\s>][\s\S]*<\/svg>/.exec(answer)?.[0];
