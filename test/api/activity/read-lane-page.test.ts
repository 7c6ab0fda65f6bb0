import { expect, it } from 'vitest';
import { readLanePage } from '../../../api/activity/read-lane-page.ts';
import type { Lane } from '../../../src/rules/activity/lanes.ts';

const toLane = (name: string, from: number): Lane => ({
  kind: 'release',
  name,
  product: 'shop',
  from,
  spans: [],
  version: 'v1',
  phase: 'Succeeded',
  stages: [],
  deployments: [],
});
const lanes = [toLane('d', 40), toLane('a', 30), toLane('b', 30), toLane('c', 30), toLane('e', 10)];
const toNames = ({ items }: { items: Lane[] }): string[] => items.map(({ name }) => name);

it('reads pages in the order of the lanes, until none is left', () => {
  const first = readLanePage(lanes, { limit: 2 });
  expect(toNames(first)).toEqual(['d', 'a']);
  const second = readLanePage(lanes, { limit: 2, continue: first.continue });
  expect(toNames(second)).toEqual(['b', 'c']);
  const third = readLanePage(lanes, { limit: 2, continue: second.continue });
  expect(third).toEqual({ items: [lanes[4]] });
  expect(readLanePage(lanes, { limit: 5 })).not.toHaveProperty('continue');
  expect(readLanePage([], { limit: 5 })).toEqual({ items: [] });
});

it('continues at the same place when lanes started or were forgotten meanwhile', () => {
  const { continue: token } = readLanePage(lanes, { limit: 2 });
  expect(toNames(readLanePage([toLane('new', 50), ...lanes], { limit: 2, continue: token }))).toEqual(['b', 'c']);
  expect(toNames(readLanePage(lanes.slice(2), { limit: 2, continue: token }))).toEqual(['b', 'c']);
  expect(readLanePage(lanes.slice(0, 2), { limit: 2, continue: token })).toEqual({ items: [] });
});

it.each(['!', Buffer.from('x y').toString('base64url'), Buffer.from('12').toString('base64url')])(
  'rejects the token %s',
  (token) => {
    expect(() => readLanePage(lanes, { limit: 2, continue: token })).toThrow(
      expect.objectContaining({ errors: [{ pointer: '?continue', detail: 'is not a token of this list' }] }),
    );
  },
);
