import axe from 'axe-core';
import { expect, it, onTestFinished } from 'vitest';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../src/main/process/start-http-server.ts';
import { startApi } from '../support/start-api.ts';
import { describeWithChromium } from '../support/servers/chromium.ts';
import { openChromium } from '../support/servers/open-chromium.ts';

type Violation = { id: string; nodes: { html: string }[] };

describeWithChromium('the pages of the reference in a browser', () => {
  it.each(['/api/docs', '/api/docs/problems'])('%s fits every width and has no barriers', async (path) => {
    const port = await reservePort();
    const { app } = await startApi({ config: { publicUrl: `http://localhost:${port}` } });
    const server = await startHttpServer(app, { port, host: '127.0.0.1' });
    onTestFinished(async () => await server.stop(0));
    const page = await openChromium();
    for (const width of [320, 1280]) {
      await page.setViewport({ width, height: 800 });
      await page.goto(`http://localhost:${port}${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
      expect(violations.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html.slice(0, 200)])).toEqual([]);
    }
  });
});
