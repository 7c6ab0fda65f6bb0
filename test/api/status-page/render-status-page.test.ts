import { describe, expect, it } from 'vitest';
import { renderStatusPage } from '../../../api/status-page/render-status-page.ts';
import type { StatusPage } from '../../../src/rules/status-page/build-status-page.ts';
import { usualPage } from './status-pages.ts';

describe('the rendered status page', () => {
  it('says everything in words, without a script and without another file', async () => {
    const page = (await renderStatusPage(usualPage)).replaceAll(/\s+/g, ' ');
    for (const text of [
      '<title>Boarding is degraded in 1 of 2 zones</title>',
      'Degraded</span>',
      'Last 90 days: down on 2026-10-01; degraded on 2026-11-24',
      '1 day down, 1 day degraded',
      '99.62 %, objective 99.9 %: at risk now',
      '<time datetime="2026-11-24T12:00:10.000Z">24 November, 12:00:10 UTC</time>',
      'Gate staff in Lerwick report that every third ticket needs two scans.',
      'boarding-prod, 2 h 4 min',
    ])
      expect(page).toContain(text);
    expect(page).not.toMatch(/<script|<link|<img|http-equiv|\son\w+=|url\(/);
  });

  it('is at most 15 kB with nothing else to load', async () => {
    expect(Buffer.byteLength(await renderStatusPage(usualPage))).toBeLessThanOrEqual(15_000);
  });

  it('escapes every text', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\'';
    const [incident] = usualPage.incidents;
    const page = await renderStatusPage({
      ...usualPage,
      title: hostile,
      incidents: incident ? [{ ...incident, title: hostile, updates: [{ at: usualPage.asOf, text: hostile }] }] : [],
    });
    expect(page).not.toMatch(/<script|<img/);
    expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThanOrEqual(4);
    expect(page).toContain('&amp;amp;&#39;');
  });

  it('says that nothing is released, or that there is no zone', async () => {
    const [zone] = usualPage.zones;
    const quiet: StatusPage = { ...usualPage, state: 'not-released', incidents: [] };
    const unused = { ...quiet, zones: zone ? [{ ...zone, state: 'not-released' as const }] : [] };
    expect(await renderStatusPage(unused)).toContain('Boarding is not in use yet');
    expect(await renderStatusPage({ ...quiet, zones: [] })).toContain('Boarding shows no zones');
  });
});
