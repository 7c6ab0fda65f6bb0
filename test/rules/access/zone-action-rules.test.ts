import { expect, it } from 'vitest';
import { zoneActionRules } from '../../../src/rules/access/zone-action-rules.ts';
import type { ZoneStatus } from '../../../src/rules/products/kinds.ts';

const at = '2026-01-01T00:00:00.000Z';
const names = (status: Partial<ZoneStatus> = {}) => zoneActionRules({ name: 'rc', ...status }).map(({ name }) => name);

it('offers to freeze a zone, or to unfreeze a frozen one', () => {
  expect(names()).toEqual(['promoteToZone', 'freezeZone', 'removeZone']);
  expect(names({ freeze: { reason: 'Sale.', by: 'jo', since: at } })).toContain('unfreezeZone');
});

it('offers decisions only while a promotion waits for approval', () => {
  const currentPromotion = { release: 'r', version: 'v1.0.0', phase: 'WaitingForApproval' };
  expect(names({ currentPromotion })).toEqual(expect.arrayContaining(['approvePromotion', 'rejectPromotion']));
  expect(names({ currentPromotion: { ...currentPromotion, phase: 'Deploying' } })).not.toContain('approvePromotion');
});

it('blocks every operation but the removal while the zone is being removed', () => {
  const removal = { by: 'jo', since: at, message: '', remaining: [] };
  const rules = zoneActionRules({ name: 'rc', removal });
  expect(rules.filter(({ blockedBy }) => blockedBy === undefined).map(({ name }) => name)).toEqual(['removeZone']);
  expect(rules.find(({ name }) => name === 'removeZone')?.requiredRole).toBe('org-admin');
});
