import { expect, it } from 'vitest';
import type { Release } from '../../../../../src/clients/ui/api/types.ts';
import { findMedians, listStages, measureStage } from '../../../../../src/clients/ui/pages/release/stages.ts';

const at = (minute: number): string => `2026-11-19T13:${String(minute).padStart(2, '0')}:00Z`;
type Status = NonNullable<Release['status']>;

const build = (status: Partial<Status>): Release =>
  ({ createdAt: at(0), status: { phase: 'Promoting', startedAt: at(0), zones: [], ...status } }) as unknown as Release;

const toSummary = (release: Release) => listStages(release).map(({ name, state }) => [name, state]);

it('shows a failure at the stage that had started, and nothing after it', () => {
  expect(toSummary(build({ phase: 'Failed' }))).toEqual([
    ['Build', 'failed'],
    ['Tag', 'idle'],
  ]);
  const zones = [{ name: 'shop-rc', phase: 'Failed' as const, startedAt: at(6), healthyAt: at(7) }];
  expect(toSummary(build({ phase: 'Failed', builtAt: at(4), taggedAt: at(5), zones }))).toEqual([
    ['Build', 'done'],
    ['Tag', 'done'],
    ['shop-rc: deploy', 'done'],
    ['shop-rc: check', 'failed'],
  ]);
});

it('counts the time of a person apart, and measures a stage until now', () => {
  const waitingFor = { role: 'member', since: at(5) };
  const zones = [{ name: 'shop-prod', phase: 'WaitingForApproval' as const, waitingFor }];
  const stages = listStages(build({ builtAt: at(4), taggedAt: at(5), zones }));
  const approval = stages.find(({ name }) => name === 'shop-prod: approval');
  expect(approval).toMatchObject({ state: 'waiting', wait: true });
  expect(approval && measureStage(approval, Date.parse(at(15)))).toBe(600_000);
  expect(stages.at(-1)).toMatchObject({ name: 'shop-prod: check', state: 'idle' });
});

it.each([
  ['codehost', 'Waits for the code host'],
  ['cluster', 'Waits for the cluster of the zone'],
])('counts no time of a person while a promotion waits for the %s', (role, words) => {
  const zones = [{ name: 'shop-prod', phase: 'Promoting' as const, waitingFor: { role, since: at(5) } }];
  const stages = listStages(build({ builtAt: at(4), taggedAt: at(5), zones }));
  expect(stages.map(({ name }) => name)).toEqual(['Build', 'Tag', 'shop-prod: deploy', 'shop-prod: check']);
  expect(stages[2]).toMatchObject({ state: 'waiting', words });
  expect(stages[2]).not.toHaveProperty('wait');
});

it('finds the median of each stage of other Releases', () => {
  const others = [3, 4, 9].map((minute) => build({ builtAt: at(minute) }));
  expect(findMedians(others)).toEqual(new Map([['Build', 240_000]]));
});
