import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openUi } from '../../../src/main/ui/open-ui.ts';

const kilobyte = 1_000;

it('builds pages that load quickly: scripts of at most 120 kB first, and at most 110 kB for any page', async () => {
  const files = await openUi(() => {});
  if (!files) throw new Error('The UI does not build.');
  const toSize = (path: string): number => gzipSync(files.get(path)?.body ?? '').length;
  const html = new TextDecoder().decode(files.get('/index.html')?.body);
  const first = [...html.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  expect(first.length).toBeGreaterThan(0);
  expect(first.reduce((sum, path) => sum + toSize(path), 0)).toBeLessThanOrEqual(120 * kilobyte);
  const others = [...files.keys()].filter((path) => path.endsWith('.js') && !first.includes(path));
  for (const path of others) expect(toSize(path), path).toBeLessThanOrEqual(110 * kilobyte);
});

it('contains no inline code, which the content security policy forbids', async () => {
  const files = await openUi(() => {});
  const html = new TextDecoder().decode(files?.get('/index.html')?.body);
  expect(html).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|\sstyle=/);
});
