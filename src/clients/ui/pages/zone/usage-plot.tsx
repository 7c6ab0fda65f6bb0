import { useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatClock } from '../../parts/format-time.ts';
import type { Usage } from './usage-series.ts';

export type Limit = { value: number; label: string };
type Plot = { usage: Usage; hours: number; limit?: Limit | undefined; restarts: number[]; label: string };

const height = 138;
const font = '11px "Hanken Grotesk Variable", system-ui, sans-serif';
const limitFont = `560 ${font}`;
const dayMs = 86_400_000;
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });

/** Colour and dash tell the lines of a chart apart, because the canvas contains no names of pods. */
export const strokes: [color: string, dash: number[]][] = [
  ['--series-1', []],
  ['--series-2', [5, 3]],
  ['--series-3', [1.5, 3]],
  ['--series-4', [8, 3, 2, 3]],
];

/** Draws the series of a chart. The figure around it has the same facts as text. */
export default function UsagePlot({ usage, hours, limit, restarts, label }: Plot) {
  const frame = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore(subscribeToTheme, readTheme);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const plot = new uPlot(
      toOptions({ usage, hours, limit, restarts, width: element.clientWidth }),
      [usage.times, ...usage.pods.map(({ values }) => values)],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [usage, hours, limit, restarts, theme]);
  return <div ref={frame} role="img" aria-label={label} style={{ height }} />;
}

type Options = Omit<Plot, 'label'> & { width: number };

function toOptions({ usage, hours, limit, restarts, width }: Options): uPlot.Options {
  const colors = readColors();
  // The label of the limit needs room above its line.
  const highest = Math.max((limit?.value ?? 0) * 1.08, usage.summary?.max ?? 0);
  const axis = { stroke: colors.text, font, ticks: { show: false }, gap: 6 };
  return {
    width,
    height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, y: { range: [0, highest * 1.15 || 1] } },
    axes: [
      {
        ...axis,
        size: 22,
        space: 90,
        grid: { show: false },
        values: (_plot, times) =>
          times.map((time) =>
            hours > 24 && (time * 1_000 - new Date(time * 1_000).getTimezoneOffset() * 60_000) % dayMs === 0
              ? day.format(time * 1_000)
              : formatClock(time * 1_000),
          ),
      },
      { ...axis, size: 40, space: 32, grid: { stroke: colors.grid, width: 1 } },
    ],
    series: [
      {},
      ...usage.pods.map((_, index) => ({
        stroke: colors.series[index % strokes.length] ?? colors.text,
        dash: strokes[index % strokes.length]?.[1] ?? [],
        width: 1.5,
        points: { show: false },
      })),
    ],
    hooks: {
      draw: [
        (plot) => {
          for (const at of restarts) drawRestart(plot, at, colors);
          if (limit) drawLimit(plot, limit, colors);
        },
      ],
    },
  };
}

type Colors = ReturnType<typeof readColors>;

function drawRestart({ ctx, bbox, valToPos }: uPlot, at: number, { line }: Colors): void {
  const x = Math.round(valToPos(at, 'x', true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  drawLine(ctx, { from: [x, bbox.top], to: [x, bbox.top + bbox.height], color: line, dash: [2, 3] });
}

function drawLimit({ ctx, bbox, valToPos }: uPlot, { value, label }: Limit, { limit, ink }: Colors): void {
  const y = Math.round(valToPos(value, 'y', true));
  const right = bbox.left + bbox.width;
  drawLine(ctx, { from: [bbox.left, y], to: [right, y], color: limit, dash: [6, 4] });
  ctx.save();
  ctx.font = scaleFont(limitFont);
  ctx.fillStyle = ink;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(label, right, y - 3 * devicePixelRatio);
  ctx.restore();
}

type Line = { from: [number, number]; to: [number, number]; color: string; dash: number[] };

function drawLine(ctx: CanvasRenderingContext2D, { from, to, color, dash }: Line): void {
  ctx.save();
  ctx.beginPath();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((one) => one * devicePixelRatio));
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.restore();
}

/** A canvas is measured in pixels of the device. */
const scaleFont = (text: string): string =>
  text.replace(/(\d+)px/, (_, size: string) => `${Number(size) * devicePixelRatio}px`);

/** Resolves the tokens, because a canvas cannot: the value of a token depends on the theme. */
function readColors() {
  const probe = document.createElement('span');
  document.body.append(probe);
  const readColor = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    text: readColor('--text-3'),
    ink: readColor('--text'),
    limit: readColor('--text-2'),
    line: readColor('--line-control'),
    grid: readColor('--grid'),
    series: strokes.map(([token]) => readColor(token)),
  };
  probe.remove();
  return colors;
}

const darkMedia = matchMedia('(prefers-color-scheme: dark)');

function subscribeToTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  darkMedia.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    darkMedia.removeEventListener('change', listener);
  };
}
const readTheme = (): string => document.documentElement.dataset['theme'] ?? String(darkMedia.matches);
