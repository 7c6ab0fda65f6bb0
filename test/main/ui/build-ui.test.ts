import { expect, it } from 'vitest';
import { measureUi } from '../../../src/main/ui/measure-ui.ts';
import { openUi } from '../../../src/main/ui/open-ui.ts';

it('builds pages that load quickly: scripts of at most 120 kB first, and at most 110 kB for any page', async () => {
  const files = await openUi(() => {});
  if (!files) throw new Error('The UI does not build.');
  const sizes = measureUi(files);
  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.filter(({ bytes, bytesMax }) => bytes > bytesMax)).toEqual([]);
});

it('contains no inline code, which the content security policy forbids', async () => {
  const files = await openUi(() => {});
  const html = new TextDecoder().decode(files?.get('/index.html')?.body);
  expect(html).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|\sstyle=/);
});
