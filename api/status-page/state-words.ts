import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { ObjectiveState } from '../../src/rules/status-page/to-objective-states.ts';
import type { ZoneState } from '../../src/rules/status-page/zone-states.ts';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export const stateWords: Record<ZoneState, string> = {
  operational: 'Operational',
  degraded: 'Degraded',
  down: 'Down',
  'not-released': 'Not in use yet',
};

export const objectiveWords: Record<ObjectiveState, string> = {
  meeting: 'met',
  burning: 'at risk now',
  spent: 'missed',
  'no-traffic': 'no requests',
  unknown: 'not measured',
};

const sign = 'fill="none" stroke="var(--on)" stroke-width="1.7" stroke-linecap="round"';
/** Each state has a shape of its own, for readers who cannot tell the colours apart. */
const shapes: Record<ZoneState, string> = {
  operational: `<circle cx="8" cy="8" r="7" fill="currentColor"/><path d="m5 8.3 2.1 2.1L11.2 6" ${sign}/>`,
  degraded: `<path d="M8 1.2 15.2 14H.8z" fill="currentColor"/><path d="M8 6v3.4m0 2.4v0" ${sign}/>`,
  down: `<path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor"/><path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" ${sign}/>`,
  'not-released': `<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2"/>`,
};

const states = Object.keys(shapes) as ZoneState[];

/** The shapes are in the page once, and each icon refers to one. */
export const renderShapes = (): Html =>
  html`<svg width="0" height="0" aria-hidden="true">
    ${states.map((state) => html`<symbol id="i-${state}" viewBox="0 0 16 16">${raw(shapes[state])}</symbol>`)}
  </svg>`;

export const renderIcon = (state: ZoneState): Html =>
  html`<svg class="m ${state}" aria-hidden="true"><use href="#i-${state}" /></svg>`;

export const renderState = (state: ZoneState): Html =>
  html`<span class="st ${state}">${renderIcon(state)}${stateWords[state]}</span>`;

export const renderLegend = (): Html =>
  html`<ul aria-label="States">
    ${states.map((state) => html`<li>${renderState(state)}</li>`)}
  </ul>`;
