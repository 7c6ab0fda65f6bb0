import { defined } from '../../../src/defined.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowRunKind, type RunPhase, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import type { RunDecision } from '../../../src/rules/changes/run-records.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { PromotionKind, type PromotionSpec, type PromotionStatus } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { seedDomains } from './seed-domains.ts';
import { credentials } from './ui-fixture.ts';

export const headSha = '4f9c2ab1d0e5b6a7c8d9e0f1a2b3c4d5e6f70819';
const namespace = 'org-acme';

/** The minutes before the page is opened. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const zones = ['shop-rc', 'shop-prod'];

/** Creates the Product "shop" with a zone pair, Changes in several states and a Release that waits for production. */
export async function seedShop(store: Store): Promise<void> {
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: {
      displayName: 'Shop',
      description: 'Sells ferry tickets.',
      repos: ['acme/shop'],
      slos: [
        {
          name: 'payments-answered',
          description: 'Payments answered without a 5xx',
          objective: '99.9',
          window: '7d',
          zones: ['shop-prod', 'shop-rc'],
          indicator: { availability: { metric: 'http_requests_total' } },
        },
        {
          name: 'payments-fast',
          objective: '95',
          window: '7d',
          indicator: { latency: { histogram: 'http_request_duration_seconds', threshold: '2' } },
        },
      ],
      delivery: {
        zones: [
          { name: 'shop-rc', promotionPolicy: 'automatic', access: 'public' },
          { name: 'shop-prod', promotionPolicy: 'after-approval' },
        ],
      },
    },
  });
  await seedDomains(store);
  const deployed = { healthyAt: ago(60), verifiedAt: ago(59), commit: headSha };
  await store.updateStatus(ProductKind, { namespace, name: 'shop' }, () => ({
    zones: [
      { name: 'shop-rc', release: 'shop-v1.1.0', version: 'v1.1.0', ...deployed },
      {
        name: 'shop-prod',
        release: 'shop-v1.0.0',
        version: 'v1.0.0',
        ...deployed,
        currentPromotion: { release: 'shop-v1.1.0', version: 'v1.1.0', phase: 'WaitingForApproval' },
      },
    ],
  }));
  const verified = { phase: 'Verified' as const, startedAt: ago(70), healthyAt: ago(60), verifiedAt: ago(59) };
  await createRelease(store, 'v1.0.0', {
    phase: 'Succeeded',
    startedAt: ago(600),
    builtAt: ago(598),
    taggedAt: ago(597),
    finishedAt: ago(590),
    zones: zones.map((name) => ({ name, ...verified })),
  });
  await createPromotion(
    store,
    { zone: 'shop-prod', version: 'v1.0.0', trigger: 'rollback', startedBy: credentials.email },
    {
      ...verified,
      finishedAt: ago(59),
      gitopsCommit: headSha,
      decision: {
        by: credentials.email,
        role: 'member',
        outcome: 'approved',
        note: 'The new version loses fares.',
        commit: headSha,
        at: ago(71),
      },
    },
  );
  await createRelease(store, 'v1.1.0', {
    phase: 'Promoting',
    startedAt: ago(80),
    builtAt: ago(75),
    taggedAt: ago(74),
    digest: `sha256:${'ab'.repeat(32)}`,
    zones: [
      { name: 'shop-rc', ...verified, address: 'http://shop-rc.localhost:8081' },
      {
        name: 'shop-prod',
        phase: 'WaitingForApproval',
        waitingFor: { role: 'member', since: ago(49), message: 'approve v1.1.0 for shop-prod' },
      },
    ],
  });
  await createChange(store, 'change-shop-418', {
    title: 'Hold the fare for ten minutes while a passenger pays',
    phase: 'WaitingForPerson',
    steps: { 'approve-change': waiting('Waiting') },
  });
  await createChange(store, 'change-shop-419', {
    title: 'Scanner accepts a ticket twice when offline',
    phase: 'NeedsGuidance',
    steps: { implement: waiting('NeedsGuidance', 'May a scanner keep names on the device for 24 hours?') },
  });
  await createChange(store, 'change-shop-420', {
    title: 'Large-type mode for the quay displays',
    phase: 'Failed',
    steps: {
      merge: {
        phase: 'Failed',
        startedAt: ago(34),
        finishedAt: ago(33),
        failure: {
          reason: 'merge-conflict',
          message: 'The pull request still has conflicts after 3 of 3 rounds.',
          resource: 'pull request #431 of acme/shop',
          fix: 'Resolve the conflicts on the branch, then retry the step.',
          at: ago(33),
        },
      },
    },
    decisions: [
      { step: 'implement', by: 'jo@example.com', outcome: 'guided', at: ago(120) },
      { step: 'approve-change', ...approval, headSha: headSha.replace(/^./, '0'), at: ago(50) },
      { step: 'approve-change', ...approval, headSha, note: 'The type is large enough now.', at: ago(35) },
    ],
  });
  await createChange(store, 'change-shop-421', {
    title: 'Show cancelled sailings in the calendar feed',
    phase: 'Running',
    steps: { 'review-tests': { phase: 'Running', startedAt: ago(3), turns: 7 } },
  });
}

const approval = { by: credentials.email, role: 'member', outcome: 'approved' } as const;

const waiting = (phase: 'Waiting' | 'NeedsGuidance', message = 'approve the Change'): Omit<StepStatus, 'name'> => ({
  phase,
  startedAt: ago(26),
  waitingFor: { role: 'member', since: ago(26), message },
});

/** Creates a Release of the Product "shop", with a Promotion to each of its zones. */
export async function createRelease(store: Store, version: string, status: ReleaseStatus): Promise<void> {
  const ref = { namespace, name: `shop-${version}` };
  await store.create(ReleaseKind, {
    metadata: ref,
    spec: { product: 'shop', repo: 'acme/shop', commit: headSha, version, startedBy: 'trigger' },
  });
  await store.updateStatus(ReleaseKind, ref, () => status);
  for (const { name: zone, address: _address, ...entry } of status.zones)
    await createPromotion(
      store,
      { zone, version, startedBy: 'trigger' },
      {
        ...entry,
        ...defined({ finishedAt: entry.verifiedAt }),
      },
    );
}

type PromotionSeed = Pick<PromotionSpec, 'zone' | 'version' | 'startedBy'> & Partial<PromotionSpec>;

/** Creates a Promotion of the Product "shop". */
async function createPromotion(
  store: Store,
  seed: PromotionSeed,
  status: Omit<PromotionStatus, 'phases'>,
): Promise<void> {
  const release = `shop-${seed.version}`;
  const ref = { namespace, name: `${release}-${seed.zone}-${seed.trigger ?? 'release'}` };
  const spec = { product: 'shop', release, commit: headSha, trigger: 'release' as const, ...seed };
  await store.create(PromotionKind, { metadata: ref, spec });
  await store.updateStatus(PromotionKind, ref, () => ({ ...status, phases: [] }));
}

type ChangeSeed = {
  title: string;
  phase: RunPhase;
  steps: Record<string, Omit<StepStatus, 'name'>>;
  decisions?: RunDecision[];
};

/** The steps before the named ones have succeeded. */
async function createChange(store: Store, name: string, { title, phase, steps, decisions }: ChangeSeed): Promise<void> {
  const ref = { namespace, name };
  await store.create(AgentWorkflowRunKind, {
    metadata: { ...ref, labels: { [runLabel]: name } },
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: Number(name.slice(-3)) },
      startedBy: 'hanne@example.com',
      steps: changeAgentWorkflow.steps,
      roles: {},
    },
  });
  const names = changeAgentWorkflow.steps.map((step) => step.name);
  const first = names.findIndex((step) => steps[step] !== undefined);
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase,
    startedAt: ago(160),
    branch: `service/${name}`,
    baseBranch: 'main',
    issue: { title, url: 'http://localhost:3000/acme/shop/issues/418', author: 'hanne' },
    pullRequest: { number: 431, url: 'http://localhost:3000/acme/shop/pulls/431', headSha },
    ...(decisions && { decisions }),
    steps: names.map((step, index) => ({
      name: step,
      ...(steps[step] ?? (index < first ? doneStep(step, index) : { phase: 'Pending' as const })),
    })),
  }));
}

function doneStep(step: string, index: number): Omit<StepStatus, 'name'> {
  const isReview = step.startsWith('review');
  return {
    phase: 'Succeeded',
    startedAt: ago(160 - index * 40),
    finishedAt: ago(125 - index * 40),
    turns: 24,
    usage: { inputTokens: 1_200_000, outputTokens: 84_300, cachedInputTokens: 1_000_000, costMicroUsd: 4_860_000 },
    verdict: {
      outcome: isReview ? 'approved' : 'done',
      summary: 'All 386 tests pass. The race between two tabs now has a test, and I saw it fail without the change.',
      ...(isReview && {
        criteria: [
          { criterion: 'Each behaviour the issue asks for has a test', met: true, note: '7 behaviours, 11 tests' },
          { criterion: 'All tests of the repo pass', met: true, note: '386 passed, 0 skipped, 38.2 s' },
        ],
      }),
    },
  };
}
