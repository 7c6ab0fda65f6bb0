import { expect, it } from 'vitest';
import { toPromotionPart, toReleaseLane, withPromotions } from '../../../src/rules/activity/to-release-lane.ts';
import { PromotionKind, type PromotionStatus } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { buildResource } from '../build-resource.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const time = (minute: number): number => Date.parse(at(minute));
const base = { product: 'shop', version: 'v1.0.0', commit: 'c', startedBy: 'ada@example.com' };
const buildRelease = (status: Partial<ReleaseStatus>) =>
  toReleaseLane(
    buildResource(ReleaseKind, {
      spec: { ...base, repo: 'acme/shop' },
      status: { phase: 'Promoting', startedAt: at(0), zones: [], ...status },
      metadata: { name: 'shop-v1' },
    }),
  );
const buildPart = (status: Partial<PromotionStatus>) =>
  toPromotionPart(
    buildResource(PromotionKind, {
      spec: { ...base, zone: 'prod', release: 'shop-v1', trigger: 'release' },
      status: { phase: 'Verified', phases: [], ...status },
    }),
  );

it.each<[string, Partial<ReleaseStatus>, unknown]>([
  ['builds', {}, [{ name: 'build', state: 'working', from: time(0) }]],
  [
    'is tagged',
    { builtAt: at(3), taggedAt: at(4) },
    [
      { name: 'build', state: 'done', from: time(0), to: time(3) },
      { name: 'tag', state: 'done', from: time(3), to: time(4) },
    ],
  ],
  ['failed to build', { finishedAt: at(2) }, [{ name: 'build', state: 'failed', from: time(0), to: time(2) }]],
])('a Release that %s has its spans', (_, status, spans) => {
  expect(buildRelease(status)?.spans).toEqual(spans);
});

it('does not time a stage that did not end', () => {
  expect(buildRelease({ finishedAt: at(2) })?.stages).toEqual([]);
});

it('times the approval, the deployment and the smoke check of a Promotion', () => {
  const part = buildPart({
    phases: [
      { phase: 'Pending', at: at(0) },
      { phase: 'WaitingForApproval', at: at(1) },
      { phase: 'Promoting', at: at(5) },
    ],
    startedAt: at(5),
    healthyAt: at(7),
    verifiedAt: at(8),
    finishedAt: at(8),
  });
  const stages = [
    { stage: 'approval', zone: 'prod', from: time(1), to: time(5) },
    { stage: 'deploy', zone: 'prod', from: time(5), to: time(7) },
    { stage: 'smoke-check', zone: 'prod', from: time(7), to: time(8) },
  ];
  expect(part).toMatchObject({
    from: time(1),
    to: time(8),
    stages,
    deployments: [{ zone: 'prod', healthyAt: time(7) }],
  });
  expect(part?.spans.map(({ name, state }) => [name, state])).toEqual([
    ['approval', 'waiting'],
    ['deploy', 'done'],
    ['smoke-check', 'done'],
  ]);
});

it('shows a failed deployment and a freeze, and nothing of a Promotion that never began', () => {
  const failed = buildPart({ phase: 'Failed', startedAt: at(1), finishedAt: at(3) });
  expect(failed).toMatchObject({ spans: [{ name: 'deploy', state: 'failed', to: time(3) }], stages: [] });
  const held = buildPart({ phase: 'Pending', waitingFor: { role: 'member', since: at(1) } });
  expect(held).toMatchObject({ spans: [{ name: 'held', state: 'held', from: time(1) }] });
  expect(held).not.toHaveProperty('to');
  expect(buildPart({ phase: 'Superseded', finishedAt: at(1) })).toBeUndefined();
});

it('keeps a Release active as long as one of its Promotions is, also when it was released long ago', () => {
  const going = buildPart({ phase: 'Deploying', startedAt: at(30) });
  const lane = buildRelease({ builtAt: at(3), taggedAt: at(4), finishedAt: at(9), phase: 'Succeeded' });
  if (!going || !lane) throw new Error('no lane');
  expect(withPromotions(lane, [going])).not.toHaveProperty('to');
  expect(withPromotions(lane, [])).toMatchObject({ to: time(9) });
  expect(withPromotions(undefined, [{ ...going, to: time(40) }])).toMatchObject({
    name: 'shop-v1',
    from: time(30),
    to: time(40),
    spans: [{ name: 'deploy' }],
  });
  expect(withPromotions(undefined, [])).toBeUndefined();
});
