import { expect, it } from 'vitest';
import { renderStatusPage } from '../../../api/status-page/render-status-page.ts';
import { buildLargestPage, measureStatusPage } from '../../../src/main/ui/measure-status-page.ts';

it('measures the largest status page, which reaches every limit and is still small enough', async () => {
  const { name, bytes, bytesMax } = await measureStatusPage();
  expect(name).toBe('status page');
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(bytesMax);
  expect(await renderStatusPage(buildLargestPage())).toContain('Some earlier or longer updates are not shown here.');
});
