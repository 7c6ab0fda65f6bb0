import { expect, it } from 'vitest';
import { renderHistory } from '../../../api/status-page/render-history.ts';
import type { ZoneState } from '../../../src/rules/status-page/zone-states.ts';

async function render(...states: ZoneState[]): Promise<string> {
  const days = states.map((state, index) => ({ date: `2026-11-0${index + 1}`, state }));
  return String(await renderHistory(days)).replaceAll(/\s+/g, ' ');
}

it('draws a bar for each day, higher and in another colour when it was worse', async () => {
  const page = await render('operational', 'down', 'operational', 'degraded', 'not-released');
  expect(page).toContain('viewBox="0 0 40 30"');
  expect(page).toContain('<path fill="var(--ok)" d="M0 30v-12h6v12M16 30v-12h6v12" />');
  expect(page).toContain('<path fill="var(--bad)" d="M8 30v-30h6v30" />');
  expect(page).toContain('<path fill="var(--warn)" d="M24 30v-22h6v22" />');
  expect(page).toContain('<path fill="var(--line)" d="M32 30v-12h6v12" />');
  expect(page).toContain('<span>4 days ago</span>');
});

it('draws nothing for a state that no day has', async () => {
  expect((await render('operational', 'operational')).match(/<path/g)).toHaveLength(1);
});

it.each<[ZoneState[], string, string]>([
  [['operational', 'not-released'], 'No incidents', 'no incidents'],
  [['down', 'operational'], '1 day down', 'down on 2026-11-01'],
  [['down', 'down'], '2 days down', 'down on 2026-11-01, 2026-11-02'],
  [['operational', 'degraded'], '1 day degraded', 'degraded on 2026-11-02'],
  [['degraded', 'degraded'], '2 days degraded', 'degraded on 2026-11-01, 2026-11-02'],
  [['degraded', 'down'], '1 day down, 1 day degraded', 'down on 2026-11-02; degraded on 2026-11-01'],
])('says the same in words: %j', async (states, summary, label) => {
  const page = await render(...states);
  expect(page).toContain(`<span>${summary}</span>`);
  expect(page).toContain(`aria-label="Last 2 days: ${label}"`);
});
