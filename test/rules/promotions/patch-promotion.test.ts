import { expect, it } from 'vitest';
import { patchPromotion, phasesMax, promotionName } from '../../../src/rules/promotions/patch-promotion.ts';
import type { PromotionStatus } from '../../../src/rules/promotions/kinds.ts';
import type { ZonePatch } from '../../../src/rules/releases/release-status.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();

/** Applies each patch twice, a minute apart, as a repeated activity does. */
const apply = (...patches: ZonePatch[]): PromotionStatus | undefined =>
  patches.reduce<PromotionStatus | undefined>(
    (status, patch, index) => patchPromotion(patchPromotion(status, patch, at(2 * index)), patch, at(2 * index + 1)),
    undefined,
  );

it('keeps each phase with its time, and the end', () => {
  const status = apply(
    { phase: 'WaitingForApproval', waitingFor: { role: 'member', since: at(0) } },
    { phase: 'Promoting', waitingFor: null },
    { gitopsCommit: 'g1', address: 'https://shop.test', promotion: 'shop-v1.0.0-prod-a' },
    { phase: 'Verified', verifiedAt: at(6) },
  );
  expect(status).toEqual({
    phase: 'Verified',
    phases: [
      { phase: 'Pending', at: at(0) },
      { phase: 'WaitingForApproval', at: at(0) },
      { phase: 'Promoting', at: at(2) },
      { phase: 'Verified', at: at(6) },
    ],
    gitopsCommit: 'g1',
    verifiedAt: at(6),
    finishedAt: at(6),
  });
});

it('keeps the first time of the end, and none while the promotion is in progress', () => {
  expect(apply({ phase: 'Rejected' }, { decision: null })?.finishedAt).toBe(at(0));
  expect(apply({ phase: 'Failed' }, { phase: 'Promoting' })).not.toHaveProperty('finishedAt');
});

it('drops the oldest phases', () => {
  const many = Array.from({ length: phasesMax }, (_, index): ZonePatch => {
    return { phase: index % 2 === 0 ? 'WaitingForApproval' : 'Pending' };
  });
  const { phases = [] } = apply(...many) ?? {};
  expect(phases).toHaveLength(phasesMax);
  expect(phases[0]).toEqual({ phase: 'WaitingForApproval', at: at(0) });
});

it('names a Promotion by its Release, its zone and its id', () => {
  const id = '0b5e9c3a-8d34-4c55-9c64-3a9d1f6f3a11';
  expect(promotionName({ release: 'shop-v1.0.0', zone: 'shop-prod', id })).toBe('shop-v1.0.0-shop-prod-0b5e9c3a');
});
