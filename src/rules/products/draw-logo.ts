import type { LogoDirection } from './logo.ts';
import { pickLogoColours, type LogoColours } from './pick-logo-colours.ts';

export type Typeface = 'sans' | 'heavy' | 'serif';
/** Text as one path, with its bounding box. */
export type Outline = { d: string; x: number; y: number; width: number; height: number };
export type OutlineText = (text: string, typeface: Typeface) => Outline;

type Box = { x: number; y: number; width: number; height: number };
type DrawingContext = LogoColours & { name: string; initials: string; seed: number; outline: OutlineText };

/** Draws a logo for a name without a model. The same name and direction always give the same image. */
export function drawLogo(name: string, direction: LogoDirection, outline: OutlineText): string {
  const seed = hashSeed(name);
  return drawings[direction]({ ...pickLogoColours(seed), name, initials: toInitials(name), seed, outline });
}

/** Returns the first letters of the first two words. */
export function toInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => /\p{L}|\p{N}/u.test(word));
  const letters = words.slice(0, 2).map((word) => /^./u.exec(word)?.[0] ?? '');
  return letters.join('').toUpperCase() || '?';
}

const canvas = { x: 0, y: 0, width: 256, height: 256 };

const drawings: Record<LogoDirection, (context: DrawingContext) => string> = {
  symbol: ({ seed, ink, accent }) => {
    const petals = 5 + (seed % 4);
    const petal = 'M128 128C96 92 100 44 128 24C156 44 160 92 128 128Z';
    const turned = Array.from({ length: petals }, (_, at) => {
      const fill = at % 2 === 0 || petals % 2 === 1 ? ink : accent;
      return `<path d="${petal}" fill="${fill}" fill-opacity="0.85" transform="rotate(${round((360 / petals) * at)} 128 128)"/>`;
    });
    return toSvg(canvas, [...turned, `<circle cx="128" cy="128" r="20" fill="${accent}"/>`]);
  },
  monogram: (context) => {
    const { ink, accent, paper } = context;
    return toSvg(canvas, [
      `<rect width="256" height="256" rx="56" fill="${ink}"/>`,
      `<path d="M0 200Q128 140 256 200V200A56 56 0 0 1 200 256H56A56 56 0 0 1 0 200Z" fill="${accent}" fill-opacity="0.9"/>`,
      drawText(context, { text: context.initials, typeface: 'heavy', fill: paper, box: inset(canvas, 62) }),
    ]);
  },
  wordmark: (context) => {
    const first = /^./u.exec(context.name)?.[0] ?? '';
    const rest = context.name.slice(first.length);
    const [whole, special, others] = [context.name, first, rest].map((text) => context.outline(text, 'heavy'));
    if (!whole || !special || !others) return '';
    const at = (d: string, x: number, fill: string): string =>
      `<path d="${d}" transform="translate(${round(x)} ${round(20 - whole.y)})" fill="${fill}"/>`;
    // The position within the whole word keeps the kerning between the first letter and the rest.
    const othersAt = whole.x + whole.width - others.x - others.width;
    const size = { x: 0, y: 0, width: round(whole.width + 40), height: round(whole.height + 40) };
    const word = rest.length > 0 ? [at(others.d, 20 - whole.x + othersAt, context.ink)] : [];
    return toSvg(size, [at(special.d, 20 - whole.x, context.accent), ...word]);
  },
  badge: (context) =>
    toSvg(canvas, [
      `<path d="M128 10L232 46V128C232 190 190 228 128 248C66 228 24 190 24 128V46Z" fill="${context.ink}"/>`,
      `<path d="M128 28L216 58V128C216 180 182 212 128 230C74 212 40 180 40 128V58Z" fill="none" stroke="${context.accent}" stroke-width="6"/>`,
      drawText(context, {
        text: context.initials,
        typeface: 'serif',
        fill: context.paper,
        box: { x: 76, y: 74, width: 104, height: 96 },
      }),
    ]),
  emblem: (context) => {
    const ticks = Array.from({ length: 36 }, (_, at) => {
      return `<rect x="126" y="14" width="4" height="14" rx="2" fill="${context.accent}" transform="rotate(${at * 10} 128 128)"/>`;
    });
    return toSvg(canvas, [
      `<circle cx="128" cy="128" r="124" fill="${context.ink}"/>`,
      ...ticks,
      `<circle cx="128" cy="128" r="88" fill="${context.paper}"/>`,
      drawText(context, { text: context.initials, typeface: 'serif', fill: context.ink, box: inset(canvas, 84) }),
    ]);
  },
  combination: (context) => {
    const { width, height } = context.outline(context.name, 'sans');
    const scale = 64 / Math.max(height, 1);
    const size = { x: 0, y: 0, width: round(168 + width * scale), height: 128 };
    return toSvg(size, [
      `<circle cx="48" cy="64" r="40" fill="${context.ink}"/>`,
      `<circle cx="88" cy="64" r="40" fill="${context.accent}" fill-opacity="0.85"/>`,
      drawText(context, {
        text: context.name,
        typeface: 'sans',
        fill: context.ink,
        box: { x: 148, y: 32, width: width * scale, height: 64 },
      }),
    ]);
  },
  geometric: ({ seed, ink, accent }) => {
    const shapes = Array.from({ length: 4 }, (_, at) => {
      const [x, y] = [20 + 112 * (at % 2), 20 + 112 * Math.floor(at / 2)];
      const fill = (seed >> at) & 1 ? ink : accent;
      return drawTile((seed >> (2 * at + 4)) % 4, { x, y, fill });
    });
    return toSvg(canvas, shapes);
  },
  line: ({ seed, ink }) => {
    const turns = 3 + (seed % 3);
    const points = Array.from({ length: turns * 24 + 1 }, (_, at) => {
      const angle = (at / 24) * 2 * Math.PI;
      const radius = 12 + (96 * at) / (turns * 24);
      return `${round(128 + radius * Math.cos(angle))} ${round(128 + radius * Math.sin(angle))}`;
    });
    return toSvg(canvas, [
      `<path d="M${points.join('L')}" fill="none" stroke="${ink}" stroke-width="12" stroke-linecap="round" stroke-linejoin="round"/>`,
    ]);
  },
  'negative-space': (context) => {
    const cut = fitToBox(context.outline(/^./u.exec(context.initials)?.[0] ?? '?', 'heavy'), inset(canvas, 64));
    return toSvg(canvas, [
      `<defs><mask id="cut"><rect width="256" height="256" fill="#fff"/><path d="${cut.d}" transform="${cut.transform}" fill="#000"/></mask></defs>`,
      `<g mask="url(#cut)"><circle cx="128" cy="128" r="120" fill="${context.ink}"/>`,
      `<path d="M8 128A120 120 0 0 0 248 128Z" fill="${context.accent}"/></g>`,
    ]);
  },
  pattern: ({ seed, ink, accent }) => {
    const cells: string[] = [];
    for (let row = 0; row < 5; row += 1)
      for (let column = 0; column < 3; column += 1) {
        const bit = row * 3 + column;
        if (!((seed >> bit) & 1) && bit !== 7) continue;
        const fill = (seed >> (bit % 7)) & 2 ? ink : accent;
        for (const x of new Set([column, 4 - column]))
          cells.push(`<rect x="${18 + 44 * x}" y="${18 + 44 * row}" width="40" height="40" rx="8" fill="${fill}"/>`);
      }
    return toSvg(canvas, cells);
  },
};

function drawTile(kind: number, { x, y, fill }: { x: number; y: number; fill: string }): string {
  if (kind === 0) return `<circle cx="${x + 52}" cy="${y + 52}" r="52" fill="${fill}"/>`;
  if (kind === 1) return `<rect x="${x}" y="${y}" width="104" height="104" rx="12" fill="${fill}"/>`;
  if (kind === 2) return `<path d="M${x} ${y + 104}L${x + 104} ${y + 104}L${x + 104} ${y}Z" fill="${fill}"/>`;
  return `<path d="M${x} ${y}A104 104 0 0 1 ${x + 104} ${y + 104}H${x}Z" fill="${fill}"/>`;
}

type TextPlacement = { text: string; typeface: Typeface; fill: string; box: Box };

function drawText({ outline }: DrawingContext, { text, typeface, fill, box }: TextPlacement): string {
  const { d, transform } = fitToBox(outline(text, typeface), box);
  return `<path d="${d}" transform="${transform}" fill="${fill}"/>`;
}

/** Scales an outline to the largest size that fits the box, and centres it. */
function fitToBox({ d, x, y, width, height }: Outline, box: Box): { d: string; transform: string } {
  const scale = Math.min(box.width / Math.max(width, 1), box.height / Math.max(height, 1));
  const left = box.x + (box.width - width * scale) / 2 - x * scale;
  const top = box.y + (box.height - height * scale) / 2 - y * scale;
  return { d, transform: `translate(${round(left)} ${round(top)}) scale(${Math.round(scale * 1e4) / 1e4})` };
}

const inset = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by,
});

const toSvg = ({ width, height }: Box, parts: string[]): string =>
  [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">`, ...parts, '</svg>'].join('\n');

const round = (value: number): number => Math.round(value * 10) / 10;

/** FNV-1a with an extra mixing step, so that names that differ in one letter look different. */
function hashSeed(name: string): number {
  let hash = 0x811c9dc5;
  for (const sign of name) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 1;
}
