import { html } from 'hono/html';
import type { PublicIncident, PublicUpdate } from '../../src/rules/status-page/to-public-incident.ts';
import type { Html } from './state-words.ts';
import { renderTime } from './render-time.ts';

/** Bounds the page to a size that loads on any network; the JSON of the page has all updates. */
const textBytesMax = 7_000;
const titleBytes = 300;
/** A longer note continues in the JSON of the page. */
const noteLengthMax = 1_000;

/** Renders what is wrong now, and what was. */
export function renderIncidents(incidents: readonly PublicIncident[]): { open: Html | false; past: Html } {
  const { shown, isCut } = takeUntilFull(incidents);
  const open = shown.filter(({ resolvedAt }) => resolvedAt === undefined);
  const resolved = shown.filter(({ resolvedAt }) => resolvedAt !== undefined);
  return {
    open:
      open.length > 0 &&
      html`<section aria-labelledby="open">
        <h2 id="open">Open now</h2>
        ${open.map(renderOpen)}
      </section>`,
    past: html`<section aria-labelledby="past">
      <h2 id="past">Last 14 days</h2>
      ${
        resolved.length === 0
          ? html`<p class="dim">No other incidents.</p>`
          : html`<ol>
              ${resolved.map((incident) => html`<li class="inc">${renderResolved(incident)}</li>`)}
            </ol>`
      }
      ${isCut && html`<p class="dim">Some earlier or longer updates are not shown here.</p>`}
    </section>`,
  };
}

const renderOpen = (incident: PublicIncident): Html =>
  html`<article class="open ${incident.impact}">
    <h3 dir="auto">${incident.title}</h3>
    <p class="dim">${incident.zones.join(', ') || 'All zones'}, since ${renderTime(incident.openedAt)}</p>
    ${renderUpdates(incident.updates)}
  </article>`;

const renderResolved = ({ title, zones, openedAt, resolvedAt = openedAt, updates }: PublicIncident): Html =>
  html`<h3 dir="auto">${title}</h3>
    <p class="dim">
      ${zones.join(', ') || 'All zones'}, ${describeDuration(openedAt, resolvedAt)}, resolved ${renderTime(resolvedAt)}
    </p>
    ${renderUpdates(updates)}`;

const renderUpdates = (updates: readonly PublicUpdate[]): Html =>
  html`<ol class="ups">
    ${updates.map(
      ({ at, text }) =>
        html`<li>
          ${renderTime(at)}
          <p class="note" dir="auto">${text}</p>
        </li>`,
    )}
  </ol>`;

/** Takes incidents, and the newest updates of each, until the page has enough text. */
function takeUntilFull(incidents: readonly PublicIncident[]): { shown: PublicIncident[]; isCut: boolean } {
  let left = textBytesMax;
  let isCut = false;
  const shown: PublicIncident[] = [];
  for (const incident of incidents) {
    const updates: PublicUpdate[] = [];
    left -= titleBytes + Buffer.byteLength(incident.title);
    for (const update of incident.updates) {
      const text = shorten(update.text);
      left -= Buffer.byteLength(text) + 50;
      if (left < 0) break;
      updates.push({ ...update, text });
      isCut ||= text !== update.text;
    }
    isCut ||= updates.length < incident.updates.length;
    if (left < 0 && updates.length === 0) break;
    shown.push({ ...incident, updates });
  }
  return { shown, isCut: isCut || shown.length < incidents.length };
}

const shorten = (text: string): string =>
  text.length <= noteLengthMax ? text : `${text.slice(0, noteLengthMax).toWellFormed()}…`;

function describeDuration(from: string, to: string): string {
  const minutes = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
