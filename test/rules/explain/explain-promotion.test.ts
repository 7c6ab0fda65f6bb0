import { expect, it } from 'vitest';
import { explainPromotion } from '../../../src/rules/explain/explain-promotion.ts';
import type { Product, ZoneStatus } from '../../../src/rules/products/kinds.ts';
import type { Release, ReleaseZone } from '../../../src/rules/releases/kinds.ts';

const at = '2026-01-01T00:00:00.000Z';
const zone = 'hello-prod';
const rc = { name: 'hello-rc', phase: 'Verified', verifiedAt: at };
const waitingFor = { role: 'member', since: at, message: 'what to do' };

function explain(entry: Partial<ReleaseZone> | undefined, status: Partial<ZoneStatus> = {}, earlier: object[] = [rc]) {
  const zones = [{ name: 'hello-rc' }, { name: zone }];
  return explainPromotion({
    product: {
      spec: { repos: [], delivery: { zones } },
      status: { zones: [{ name: zone, ...status }] },
    } as unknown as Product,
    release: {
      spec: { version: 'v1.2.0' },
      status: {
        phase: 'Promoting',
        digest: 'sha256:1',
        zones: [...earlier, ...(entry ? [{ name: zone, phase: 'Pending', ...entry }] : [])],
      },
    } as unknown as Release,
    zone,
  });
}

const freeze = { by: 'jo', reason: 'holidays', since: at };
it.each<[string, Partial<ReleaseZone> | undefined, Partial<ZoneStatus>, string]>([
  ['approval', { phase: 'WaitingForApproval', waitingFor }, {}, 'Approve or reject'],
  ['freeze', { waitingFor }, { freeze }, 'Unfreeze the zone'],
  [
    'hold',
    { waitingFor },
    { freeze, hold: { by: 'jo', version: 'v1.1.0', at } } as unknown as Partial<ZoneStatus>,
    'Promote the newest version',
  ],
  ['gitops-rules', { phase: 'Promoting', waitingFor }, {}, 'gitops repo'],
  ['codehost', { phase: 'Promoting', waitingFor: { ...waitingFor, role: 'codehost' } }, {}, 'code host responds'],
  ['cluster', { phase: 'Promoting', waitingFor: { ...waitingFor, role: 'cluster' } }, {}, 'access to it'],
])('says that the promotion waits: %s', (rule, entry, status, fix) => {
  expect(explain(entry, status)).toMatchObject({
    state: 'waiting',
    rule,
    message: 'what to do',
    fix: expect.stringContaining(fix),
  });
});

it('says that an earlier zone is missing, by the rule that promotes', () => {
  expect(explain(undefined, {}, [])).toMatchObject({
    state: 'waiting',
    rule: 'release-not-eligible',
    message: 'v1.2.0 is not verified in the earlier zone "hello-rc".',
  });
});

it('shows the failure of the Release to a zone that it never reached', () => {
  const release = {
    spec: { version: 'v1.2.0' },
    status: {
      phase: 'Failed',
      zones: [],
      failure: { reason: 'build-failed', message: 'The tests failed.', fix: 'Correct them.' },
    },
  } as unknown as Release;
  const product = { spec: { repos: [], delivery: { zones: [{ name: zone }] } } } as unknown as Product;
  expect(explainPromotion({ product, release, zone })).toMatchObject({
    message: 'The tests failed.',
    fix: 'Correct them.',
  });
});

const explainFinished = (status: object) => {
  const release = {
    spec: { version: 'v1.2.0' },
    status: { digest: 'sha256:1', ...status },
  } as unknown as Release;
  const zones = [{ name: 'hello-rc' }, { name: zone }];
  const product = { spec: { repos: [], delivery: { zones } } } as unknown as Product;
  return explainPromotion({ product, release, zone });
};
const pending = { name: zone, phase: 'Pending' };

it('shows the failure of the Release to a zone that still waits for its turn', () => {
  const failure = { reason: 'promotion-failed', message: 'The promotion to hello-rc failed.', fix: 'See hello-rc.' };
  const zones = [{ name: 'hello-rc', phase: 'Failed' }, pending];
  expect(explainFinished({ phase: 'Failed', zones, failure })).toMatchObject({
    state: 'failed',
    rule: 'promotion-failed',
    message: failure.message,
    fix: failure.fix,
  });
});

it.each(['Cancelled', 'Superseded'])('does not wait for a Release that is %s', (phase) => {
  const explained = explainFinished({ phase, zones: [{ name: 'hello-rc', phase }, pending] });
  expect(explained).toMatchObject({
    state: 'nothing',
    rule: 'release-finished',
    message: `v1.2.0 is ${phase}, so it is not promoted to ${zone}. v1.2.0 is not verified in the earlier zone "hello-rc".`,
    fix: 'Start a Release of its commit again, or of a newer commit.',
  });
});

it('offers a Release that finished before the zone was added', () => {
  expect(explainFinished({ phase: 'Succeeded', zones: [rc] })).toMatchObject({
    state: 'nothing',
    rule: 'release-finished',
    message: `v1.2.0 is Succeeded, so it is not promoted to ${zone}.`,
    fix: `Promote v1.2.0 to ${zone} manually on the Product page.`,
  });
});

it('names the zone that was added before the one of a Release that finished', () => {
  expect(explainFinished({ phase: 'Succeeded', zones: [] })).toMatchObject({
    rule: 'release-finished',
    fix: 'Promote v1.2.0 to the earlier zones manually first.',
  });
});

it('is in progress while a person promotes a Release that finished', () => {
  const zones = [rc, { ...pending, promotion: 'p1' }];
  expect(explainFinished({ phase: 'Succeeded', zones })).toMatchObject({ state: 'running', rule: 'in-progress' });
});

it('shows the failure with its fix', () => {
  const failure = {
    reason: 'smoke-check-failed' as const,
    message: 'It responds 500.',
    resource: zone,
    fix: 'Fix it.',
    at,
  };
  expect(explain({ phase: 'Failed', failure })).toMatchObject({
    state: 'failed',
    rule: failure.reason,
    fix: 'Fix it.',
  });
});

it.each([
  ['Verified', 'done', 'verified'],
  ['Superseded', 'nothing', 'superseded'],
  ['Rejected', 'nothing', 'rejected'],
  ['Deploying', 'running', 'in-progress'],
] as const)('explains a promotion that is %s', (phase, state, rule) => {
  expect(explain({ phase }, { version: 'v1.1.0' })).toMatchObject({
    state,
    rule,
    facts: expect.arrayContaining([{ name: 'running', value: 'v1.1.0' }]),
  });
});
