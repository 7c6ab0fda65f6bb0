import { expect, it } from 'vitest';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import {
  toChangeRecord,
  toIncidentRecord,
  toPromotionRecord,
  toReleaseRecord,
} from '../../../src/rules/dora/records.ts';
import { IncidentKind } from '../../../src/rules/incidents/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { buildResource } from '../build-resource.ts';
import { incidents, promotions, releases, runs } from './hand-computed.ts';

const strip = <T extends { status: unknown }>({ status: _status, ...rest }: T) => rest;

it('takes the first start of a Release that started again', () => {
  const restarted = releases.find(({ status }) => status.attempts);
  expect(restarted && toReleaseRecord(buildResource(ReleaseKind, restarted)).startedAt).toBe(
    Date.parse('2026-11-15T08:00:00Z'),
  );
});

it('has a Change for each merged run only', () => {
  const [run] = runs;
  if (!run) throw new Error('no run');
  const { mergedAt: _mergedAt, ...unmerged } = run.status;
  expect(toChangeRecord(buildResource(AgentWorkflowRunKind, run))).toMatchObject({
    repo: 'acme/shop',
    mergeCommit: 'k1.0.0',
  });
  expect(toChangeRecord(buildResource(AgentWorkflowRunKind, { ...run, status: unmerged }))).toBeUndefined();
});

it('reads a resource whose status is not written yet', () => {
  const [promotion] = promotions;
  const [incident] = incidents;
  if (!promotion || !incident) throw new Error('no data');
  expect(toPromotionRecord(buildResource(PromotionKind, strip(promotion)))).toMatchObject({ phase: 'Pending' });
  expect(toIncidentRecord(buildResource(IncidentKind, strip(incident)))).toBeUndefined();
});
