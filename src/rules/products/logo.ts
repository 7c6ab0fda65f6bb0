import type { Usage } from '../changes/kinds.ts';

export const logoBytesMax = 512 * 1024;

export const logoTypes = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof logoTypes)[number];

const extensions: Record<LogoType, string> = {
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

/** The path of a Product's logo in its repo. */
export const logoPath = (type: LogoType): string => `logo.${extensions[type]}`;

/** Each suggestion follows another direction. */
export const logoDirections = [
  { name: 'symbol', brief: 'a single simple symbol of the product’s purpose; no letters' },
  { name: 'monogram', brief: 'the initials of the name, drawn as one mark' },
  { name: 'wordmark', brief: 'the whole name as lettering, with one distinctive letter' },
  { name: 'badge', brief: 'a compact badge or shield that holds a mark' },
  { name: 'emblem', brief: 'a round emblem with a ring around a mark' },
  { name: 'combination', brief: 'a symbol on the left and the name on the right' },
  { name: 'geometric', brief: 'an abstract mark of circles, squares and triangles on a grid' },
  { name: 'line', brief: 'one continuous line of even width; no filled areas' },
  { name: 'negative-space', brief: 'a letter or symbol cut out of a solid shape' },
  { name: 'pattern', brief: 'a small repeating pattern of tiles, symmetrical' },
] as const;
export type LogoDirection = (typeof logoDirections)[number]['name'];

export type LogoSuggestion = {
  direction: LogoDirection;
  source: 'model' | 'built-in';
  svg: string;
  model?: string;
  usage?: Usage;
};

/** The prefix of all logo blobs of an org. */
export const orgLogosPrefix = (org: string): string => `logos/${org}/`;
/** The prefix of all logo blobs of a Product. */
export const logosPrefix = (org: string, product: string): string => `${orgLogosPrefix(org)}${product}/`;
/** The key of an image before it is committed. */
export const logoKey = (ref: { org: string; product: string; hash: string }): string =>
  `${logosPrefix(ref.org, ref.product)}${ref.hash}`;
export const suggestionKey = (ref: { org: string; product: string; round: string; direction: LogoDirection }): string =>
  `${logosPrefix(ref.org, ref.product)}suggestions/${ref.round}/${ref.direction}`;
