import type { GuideName } from './guide-list.ts';

const texts = import.meta.glob<string>('./guides/*.md', { query: '?raw', import: 'default' });

/** Reads the Markdown of a guide. */
export async function loadGuide(name: GuideName): Promise<string> {
  const load = texts[`./guides/${name}.md`];
  if (!load) throw new Error(`The guide "${name}" has no text.`);
  return await load();
}
