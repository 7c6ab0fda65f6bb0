import { check } from 'recheck';
import { expect, it } from 'vitest';
import { readSources } from './support/source-tree.ts';

/** The places of patterns that take time in the square of their input, with what bounds that input. */
const bounded: Record<string, string> = {
  'src/integrations/registries/auth-challenge.ts /([a-z_-]+)\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))|([a-z][a-z0-9-]*)/gi':
    'The header is cut to 4,096 characters.',
  'src/store/kubernetes/structural-schema.ts /\\(\\?!.*?\\)/': 'The patterns are those of our own schemas.',
};

/** Large counts make the automaton of a pattern too large to judge, and do not change how its time grows. */
const shrinkCounts = (pattern: string): string =>
  pattern.replaceAll(/\{(\d+)(,?)(\d*)\}/g, (_, from: string, comma: string, to: string) => {
    const most = to === '' ? '' : Math.min(Number(to), 4);
    return `{${Math.min(Number(from), 3)}${comma}${most}}`;
  });

const product = await readSources(
  '{api,activities,workflows}/**/*.ts',
  'src/{gate,integrations,kinds,processes,reconcile,rules,store}/**/*.ts',
);

it('matches texts of strangers in linear time', async () => {
  const patterns = product.flatMap(({ path, nodes }) =>
    [...nodes()].flatMap(({ regex }) => (regex ? [{ path, ...(regex as { pattern: string; flags: string }) }] : [])),
  );
  const byText = Map.groupBy(patterns, ({ pattern, flags }) => `/${pattern}/${flags}`);
  const judge = async ([text, places]: [string, typeof patterns]): Promise<string[]> => {
    const [{ pattern, flags } = { pattern: '', flags: '' }] = places;
    const judged = await check(shrinkCounts(pattern), flags, { checker: 'automaton', timeout: 200_000 });
    const isJudged = judged.status !== 'unknown' || judged.error.kind === 'unsupported';
    return judged.status === 'vulnerable' || !isJudged ? [...new Set(places.map(({ path }) => `${path} ${text}`))] : [];
  };
  const vulnerable = (await Promise.all([...byText].map(judge))).flat();
  expect(byText.size).toBeGreaterThan(100);
  expect(vulnerable.toSorted()).toEqual(Object.keys(bounded));
});
