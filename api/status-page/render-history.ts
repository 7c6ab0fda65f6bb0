import { html } from 'hono/html';
import type { HistoryDay } from '../../src/rules/status-page/to-daily-history.ts';
import type { ZoneState } from '../../src/rules/status-page/zone-states.ts';
import type { Html } from './state-words.ts';

const width = 8;
const bars = {
  operational: { fill: 'var(--ok)', height: 12 },
  'not-released': { fill: 'var(--line)', height: 12 },
  degraded: { fill: 'var(--warn)', height: 22 },
  down: { fill: 'var(--bad)', height: 30 },
} as const;

/** Renders a bar for each day, with the same in words: a worse day has a higher bar in another colour. */
export function renderHistory(days: readonly HistoryDay[]): Html {
  const states = Object.keys(bars) as ZoneState[];
  return html`<svg
      class="days"
      viewBox="0 0 ${days.length * width} 30"
      preserveAspectRatio="none"
      role="img"
      aria-label="Last ${days.length} days: ${describeDays(days)}"
    >
      ${states.map((state) => renderBars(days, state))}
    </svg>
    <p class="row dim"><span>${days.length - 1} days ago</span><span>${summarize(days)}</span><span>Today</span></p>`;
}

/** One path draws all days of a state, because an element for each would be most of the page. */
function renderBars(days: readonly HistoryDay[], state: ZoneState): Html | string {
  const { fill, height } = bars[state];
  const runs = days.flatMap((day, index) => (day.state === state ? [index] : []));
  if (runs.length === 0) return '';
  const path = runs.map((index) => `M${index * width} 30v-${height}h6v${height}`).join('');
  return html`<path fill="${fill}" d="${path}" />`;
}

const count = (days: readonly HistoryDay[], state: ZoneState): number =>
  days.filter((day) => day.state === state).length;

function summarize(days: readonly HistoryDay[]): string {
  const [down, degraded] = [count(days, 'down'), count(days, 'degraded')];
  const parts = [
    ...(down > 0 ? [`${down} ${down === 1 ? 'day' : 'days'} down`] : []),
    ...(degraded > 0 ? [`${degraded} ${degraded === 1 ? 'day' : 'days'} degraded`] : []),
  ];
  return parts.length === 0 ? 'No incidents' : parts.join(', ');
}

/** Names the days of each worse state, because a listener cannot look at the bars. */
function describeDays(days: readonly HistoryDay[]): string {
  const parts = (['down', 'degraded'] as const).flatMap((state) => {
    const dates = days.filter((day) => day.state === state).map(({ date }) => date);
    return dates.length === 0 ? [] : [`${state} on ${dates.join(', ')}`];
  });
  return parts.length === 0 ? 'no incidents' : parts.join('; ');
}
