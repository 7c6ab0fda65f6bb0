import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../../../src/clients/ui/api/queries/issues.ts';
import { findNeighbour, listTargets, matchesFilter } from '../../../../../src/clients/ui/pages/board/moves.ts';

const buildIssue = (part: Partial<Issue>): Issue => ({
  repo: 'acme/shop',
  number: 12,
  title: 'Greet visitors by name',
  body: '',
  url: 'http://localhost:3000/acme/shop/issues/12',
  state: 'open',
  labels: ['comfort'],
  author: 'hanne',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  column: 'Backlog',
  actions: [
    { name: 'startRun', allowed: true },
    { name: 'cancelRun', allowed: false, message: 'No Change is in progress.' },
  ],
  ...part,
});
const listMoves = (issue: Issue) => listTargets(issue).map(({ column, move }) => [column, move]);

describe('the targets of a card', () => {
  it('are In progress, which starts a Change, and Backlog, which cancels it', () => {
    expect(listMoves(buildIssue({}))).toEqual([
      ['In progress', 'start'],
      ['Review', undefined],
      ['Done', undefined],
    ]);
    const actions = [
      { name: 'startRun', allowed: false, message: 'The run "r" is in progress for the issue.' },
      { name: 'cancelRun', allowed: true },
    ];
    expect(listMoves(buildIssue({ column: 'Review', actions }))).toEqual([
      ['Backlog', 'cancel'],
      ['In progress', undefined],
      ['Done', undefined],
    ]);
  });

  it('say why a card cannot go there, in the words of the API', () => {
    const message = 'Requires the role "member" in the org.';
    const actions = [{ name: 'startRun', allowed: false, message }];
    expect(listTargets(buildIssue({ actions }))[0]).toEqual({ column: 'In progress', why: message });
    const done = listTargets(buildIssue({ column: 'Done' }));
    expect(done.every(({ move, why }) => move === undefined && why !== undefined)).toBe(true);
  });
});

it.each([
  [{ q: 'VISITORS' }, true],
  [{ q: '#12' }, true],
  [{ q: '3' }, false],
  [{ label: 'comfort' }, true],
  [{ label: 'security' }, false],
  [{ repo: 'acme/till' }, false],
])('matches an issue with the filter %j: %s', (filter, expected) => {
  expect(matchesFilter(buildIssue({}), filter)).toBe(expected);
});

it.each([
  ['a', 'ArrowDown', 'b'],
  ['a', 'ArrowUp', undefined],
  ['b', 'ArrowRight', 'd'],
  ['d', 'ArrowLeft', 'b'],
  ['c', 'ArrowRight', 'd'],
] as const)('leads from %s by %s to %s, over empty columns', (from, key, to) => {
  expect(findNeighbour([['a', 'b', 'c'], [], ['e', 'd']], from, key)).toBe(to);
});
