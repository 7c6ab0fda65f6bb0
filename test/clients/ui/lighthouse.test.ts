import lighthouse from 'lighthouse';
import { expect, it } from 'vitest';
import { isExhaustive, sample } from '../../support/sample.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openPages } from './open-pages.ts';
import { signIn } from './open-ui.ts';
import { pages } from './pages.ts';

/** The scores depend on how busy the machine is only for the performance, so that a sample leaves it out. */
const limits = { accessibility: 1, 'best-practices': 1, ...(isExhaustive && { performance: 0.95 }) };

const judgeMsMax = isExhaustive ? 3_600_000 : 600_000;

describeWithChromium('the pages as Lighthouse judges them', () => {
  it('are accessible, follow the practices of the web, and are fast', { timeout: judgeMsMax }, async () => {
    const { page, open, url } = await openPages();
    const findFaults = async (path: string): Promise<string[]> => {
      const result = await lighthouse(url + path, { onlyCategories: Object.keys(limits), ...options }, undefined, page);
      if (!result) throw new Error(`Lighthouse has no result for ${path}.`);
      const { categories, audits } = result.lhr;
      const scores = Object.entries(limits).map(([name, limit]) => ({
        name,
        limit,
        score: categories[name]?.score ?? 0,
      }));
      process.stdout.write(`${path} ${scores.map(({ name, score }) => `${name} ${score * 100}`).join(', ')}\n`);
      if (scores.every(({ score, limit }) => score >= limit)) return [];
      const failed = Object.values(audits).filter(({ score }) => score !== null && score < 0.9);
      return failed.map(({ id, details }) => `${path}: ${id} ${JSON.stringify(details)}`);
    };
    const faults = await findFaults('/signin');
    await open('/acme');
    await signIn(page);
    const existing = pages.map(([path]) => path).filter((path) => !path.endsWith('/none'));
    for (const path of sample(['/setup?step=root', ...existing], 2)) faults.push(...(await findFaults(path)));
    expect(faults).toEqual([]);
  });
});

/** The computer and connection of Lighthouse's preset "desktop"; the session of the person is kept. */
const options = {
  disableStorageReset: true,
  // The test of the routes reads the console, and knows which requests are rejected for want of a model provider.
  skipAudits: ['errors-in-console'],
  formFactor: 'desktop' as const,
  screenEmulation: { mobile: false, width: 1350, height: 940, deviceScaleFactor: 1, disabled: false },
  throttling: {
    rttMs: 40,
    throughputKbps: 10 * 1024,
    cpuSlowdownMultiplier: 1,
    requestLatencyMs: 0,
    downloadThroughputKbps: 0,
    uploadThroughputKbps: 0,
  },
};
