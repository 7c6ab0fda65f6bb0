import { html, raw } from 'hono/html';
import type { PublicObjective, PublicZone, StatusPage } from '../../src/rules/status-page/build-status-page.ts';
import { renderHistory } from './render-history.ts';
import { renderIncidents } from './render-incidents.ts';
import { renderTime } from './render-time.ts';
import { type Html, objectiveWords, renderIcon, renderLegend, renderShapes, renderState } from './state-words.ts';
import { stylesheet } from './stylesheet.ts';

/** Renders the status page, which has no script and loads nothing else. */
export async function renderStatusPage(page: StatusPage): Promise<string> {
  const { org, title, state, asOf, zones, incidents } = page;
  const headline = describeState(page);
  const { open, past } = renderIncidents(incidents);
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${headline}</title>
        ${raw(`<style>${stylesheet}</style>`)}
      </head>
      <body>
        ${renderShapes()}
        <main>
          <p class="dim">${org}, ${title}</p>
          <h1>${renderIcon(state)}<span dir="auto">${headline}</span></h1>
          <p class="dim">As of ${renderTime(asOf, { seconds: true })}. Open the page again for a newer one.</p>
          ${open} ${zones.map(renderZone)} ${past}
          <footer>
            ${renderLegend()}
            <p>A higher bar is a worse day. Days and times are in UTC.</p>
          </footer>
        </main>
      </body>
    </html>`;
  return collapse((await document).toString());
}

const renderZone = ({ name, address, state, objectives, history }: PublicZone): Html =>
  html`<section aria-labelledby="z-${name}">
    <div class="row">
      <div>
        <h2 id="z-${name}">${name}</h2>
        ${address !== undefined && html`<p class="dim">${new URL(address).host}</p>`}
      </div>
      ${renderState(state)}
    </div>
    ${renderHistory(history)} ${objectives.length > 0 && html`<dl class="obj">${objectives.map(renderObjective)}</dl>`}
  </section>`;

const renderObjective = ({ name, objective, state, attainment }: PublicObjective): Html =>
  html`<dt>${name}</dt>
    <dd>
      ${attainment !== undefined && html`${formatShare(attainment)} %, `}objective ${objective} %:
      ${objectiveWords[state]}
    </dd>`;

/** Rounds down, so that a missed objective never looks met. */
const formatShare = (share: number): string => String(Math.floor(share * 1e5 + 1e-6) / 1e3);

/** Says in one sentence what the reader came for. */
function describeState({ title, state, zones }: Pick<StatusPage, 'title' | 'state' | 'zones'>): string {
  if (zones.length === 0) return `${title} shows no zones`;
  if (state === 'not-released') return `${title} is not in use yet`;
  const affected = zones.filter((zone) => zone.state === state).length;
  const where = zones.length === 1 || affected === zones.length ? '' : ` in ${affected} of ${zones.length} zones`;
  return `${title} is ${state}${state === 'operational' ? '' : where}`;
}

/** Removes the indentation of the templates, which would be a third of the page. */
const collapse = (text: string): string => text.replaceAll(/\n[ \t]+/g, '\n').replaceAll(/\n{2,}/g, '\n');
