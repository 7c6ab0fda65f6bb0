import type { LogoDirection } from './logo.ts';
import { logoColours, type LogoColours } from './logo-colours.ts';

export type Typeface = 'sans' | 'heavy' | 'serif';
/** Letters as one shape, and the box that it fills. */
export type Outline = { d: string; x: number; y: number; width: number; height: number };
export type OutlineText = (text: string, typeface: Typeface) => Outline;

type Box = { x: number; y: number; width: number; height: number };
type Pen = LogoColours & { name: string; initials: string; seed: number; outline: OutlineText };

/** A logo of the name in that direction, good enough to keep; the same name always looks the same. */
export function drawLogo(name: string, direction: LogoDirection, outline: OutlineText): string {
  const seed = seedOf(name);
  return drawings[direction]({ ...logoColours(seed), name, initials: initialsOf(name), seed, outline });
}

/** Of two words or more the first letters, else the first letter. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => /\p{L}|\p{N}/u.test(word));
  const letters = words.slice(0, 2).map((word) => /^./u.exec(word)?.[0] ?? '');
  return letters.join('').toUpperCase() || '?';
}

const square = { x: 0, y: 0, width: 256, height: 256 };

const drawings: Record<LogoDirection, (pen: Pen) => string> = {
  symbol: ({ seed, ink, accent }) => {
    const petals = 5 + (seed % 4);
    const petal = 'M128 128C96 92 100 44 128 24C156 44 160 92 128 128Z';
    const turned = Array.from({ length: petals }, (_, at) => {
      const fill = at % 2 === 0 || petals % 2 === 1 ? ink : accent;
      return `<path d="${petal}" fill="${fill}" fill-opacity="0.85" transform="rotate(${round((360 / petals) * at)} 128 128)"/>`;
    });
    return image(square, [...turned, `<circle cx="128" cy="128" r="20" fill="${accent}"/>`]);
  },
  monogram: (pen) => {
    const { ink, accent, paper } = pen;
    return image(square, [
      `<rect width="256" height="256" rx="56" fill="${ink}"/>`,
      `<path d="M0 200Q128 140 256 200V200A56 56 0 0 1 200 256H56A56 56 0 0 1 0 200Z" fill="${accent}" fill-opacity="0.9"/>`,
      letters(pen, { text: pen.initials, typeface: 'heavy', fill: paper, box: inset(square, 62) }),
    ]);
  },
  wordmark: (pen) => {
    const first = /^./u.exec(pen.name)?.[0] ?? '';
    const rest = pen.name.slice(first.length);
    const [whole, special, others] = [pen.name, first, rest].map((text) => pen.outline(text, 'heavy'));
    if (!whole || !special || !others) return '';
    const at = (d: string, x: number, fill: string): string =>
      `<path d="${d}" transform="translate(${round(x)} ${round(20 - whole.y)})" fill="${fill}"/>`;
    // The same place as in the whole word, which the letters' distances are part of.
    const othersAt = whole.x + whole.width - others.x - others.width;
    const size = { x: 0, y: 0, width: round(whole.width + 40), height: round(whole.height + 40) };
    const word = rest.length > 0 ? [at(others.d, 20 - whole.x + othersAt, pen.ink)] : [];
    return image(size, [at(special.d, 20 - whole.x, pen.accent), ...word]);
  },
  badge: (pen) =>
    image(square, [
      `<path d="M128 10L232 46V128C232 190 190 228 128 248C66 228 24 190 24 128V46Z" fill="${pen.ink}"/>`,
      `<path d="M128 28L216 58V128C216 180 182 212 128 230C74 212 40 180 40 128V58Z" fill="none" stroke="${pen.accent}" stroke-width="6"/>`,
      letters(pen, {
        text: pen.initials,
        typeface: 'serif',
        fill: pen.paper,
        box: { x: 76, y: 74, width: 104, height: 96 },
      }),
    ]),
  emblem: (pen) => {
    const ticks = Array.from({ length: 36 }, (_, at) => {
      return `<rect x="126" y="14" width="4" height="14" rx="2" fill="${pen.accent}" transform="rotate(${at * 10} 128 128)"/>`;
    });
    return image(square, [
      `<circle cx="128" cy="128" r="124" fill="${pen.ink}"/>`,
      ...ticks,
      `<circle cx="128" cy="128" r="88" fill="${pen.paper}"/>`,
      letters(pen, { text: pen.initials, typeface: 'serif', fill: pen.ink, box: inset(square, 84) }),
    ]);
  },
  combination: (pen) => {
    const { width, height } = pen.outline(pen.name, 'sans');
    const scale = 64 / Math.max(height, 1);
    const size = { x: 0, y: 0, width: round(168 + width * scale), height: 128 };
    return image(size, [
      `<circle cx="48" cy="64" r="40" fill="${pen.ink}"/>`,
      `<circle cx="88" cy="64" r="40" fill="${pen.accent}" fill-opacity="0.85"/>`,
      letters(pen, {
        text: pen.name,
        typeface: 'sans',
        fill: pen.ink,
        box: { x: 148, y: 32, width: width * scale, height: 64 },
      }),
    ]);
  },
  geometric: ({ seed, ink, accent }) => {
    const shapes = Array.from({ length: 4 }, (_, at) => {
      const [x, y] = [20 + 112 * (at % 2), 20 + 112 * Math.floor(at / 2)];
      const fill = (seed >> at) & 1 ? ink : accent;
      return tile((seed >> (2 * at + 4)) % 4, { x, y, fill });
    });
    return image(square, shapes);
  },
  line: ({ seed, ink }) => {
    const turns = 3 + (seed % 3);
    const points = Array.from({ length: turns * 24 + 1 }, (_, at) => {
      const angle = (at / 24) * 2 * Math.PI;
      const radius = 12 + (96 * at) / (turns * 24);
      return `${round(128 + radius * Math.cos(angle))} ${round(128 + radius * Math.sin(angle))}`;
    });
    return image(square, [
      `<path d="M${points.join('L')}" fill="none" stroke="${ink}" stroke-width="12" stroke-linecap="round" stroke-linejoin="round"/>`,
    ]);
  },
  'negative-space': (pen) => {
    const cut = placed(pen.outline(/^./u.exec(pen.initials)?.[0] ?? '?', 'heavy'), inset(square, 64));
    return image(square, [
      `<defs><mask id="cut"><rect width="256" height="256" fill="#fff"/><path d="${cut.d}" transform="${cut.transform}" fill="#000"/></mask></defs>`,
      `<g mask="url(#cut)"><circle cx="128" cy="128" r="120" fill="${pen.ink}"/>`,
      `<path d="M8 128A120 120 0 0 0 248 128Z" fill="${pen.accent}"/></g>`,
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
    return image(square, cells);
  },
};

function tile(kind: number, { x, y, fill }: { x: number; y: number; fill: string }): string {
  if (kind === 0) return `<circle cx="${x + 52}" cy="${y + 52}" r="52" fill="${fill}"/>`;
  if (kind === 1) return `<rect x="${x}" y="${y}" width="104" height="104" rx="12" fill="${fill}"/>`;
  if (kind === 2) return `<path d="M${x} ${y + 104}L${x + 104} ${y + 104}L${x + 104} ${y}Z" fill="${fill}"/>`;
  return `<path d="M${x} ${y}A104 104 0 0 1 ${x + 104} ${y + 104}H${x}Z" fill="${fill}"/>`;
}

type Lettering = { text: string; typeface: Typeface; fill: string; box: Box };

function letters({ outline }: Pen, { text, typeface, fill, box }: Lettering): string {
  const { d, transform } = placed(outline(text, typeface), box);
  return `<path d="${d}" transform="${transform}" fill="${fill}"/>`;
}

/** As large as it gets within the box, in the middle of it. */
function placed({ d, x, y, width, height }: Outline, box: Box): { d: string; transform: string } {
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

const image = ({ width, height }: Box, parts: string[]): string =>
  [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">`, ...parts, '</svg>'].join('\n');

const round = (value: number): number => Math.round(value * 10) / 10;

/** FNV-1a, with its bits stirred once more: names that differ in one letter look different. */
function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const sign of name) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 1;
}
