import { check } from 'recheck';
import { expect, it } from 'vitest';
import { readSources } from './support/source-tree.ts';

/** Patterns that take time in the square of their input, with what bounds that input. */
const bounded: Record<string, string> = {
  'src/integrations/registries/auth-challenge.ts': 'The header is cut to 4,096 characters.',
  'src/rules/find/rank-entries.ts': 'A search has at most 500 characters.',
  'src/store/kubernetes/structural-schema.ts': 'The patterns are those of our own schemas.',
};

const product = await readSources(
  '{api,activities,workflows}/**/*.ts',
  'src/{gate,integrations,kinds,processes,reconcile,rules,store}/**/*.ts',
);

it('matches texts of strangers in linear time', async () => {
  const patterns = new Map<string, { source: string; flags: string; path: string }>();
  for (const { path, nodes } of product)
    for (const { regex } of nodes()) {
      if (!regex) continue;
      const { pattern, flags } = regex as { pattern: string; flags: string };
      patterns.set(`/${pattern}/${flags}`, { source: pattern, flags, path });
    }
  const judge = async ({ source, flags, path }: { source: string; flags: string; path: string }) => {
    const { status } = await check(source, flags, { checker: 'automaton' });
    return status === 'vulnerable' && bounded[path] === undefined ? [`${path}: /${source}/${flags}`] : [];
  };
  expect(patterns.size).toBeGreaterThan(100);
  expect((await Promise.all([...patterns.values()].map(judge))).flat()).toEqual([]);
});
