import type { Context } from 'hono';
import { z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import type { Release } from '../../src/rules/releases/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { manageZoneId, type approvePromotionUpdate } from '../../workflows/environments/messages.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { getViewer } from '../auth/viewer.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { assertNotFinished, buildReleaseView, getReleaseByName } from './release-view.ts';

type PromotionRef = { org: string; name: string; zone: string };
type Decision = {
  ref: PromotionRef;
  note: string | undefined;
  action: 'approvePromotion' | 'rejectPromotion';
  update: typeof approvePromotionUpdate;
};

export const PromotionDecisionBody = z.strictObject({
  note: z.string().max(2000).optional().describe('Note about the decision.'),
});

/** Returns a Release that has not finished and is for the zone. */
export async function getReleaseForZone(store: Store, { org, name, zone }: PromotionRef): Promise<Release> {
  const release = await getReleaseByName(store, { org, name });
  if (!release.status?.zones.some((candidate) => candidate.name === zone))
    throw notFound('zone', zone, `Release "${name}"`);
  assertNotFinished(release);
  return release;
}

/** Sends the decision of the caller to the workflow of the zone, and returns the view of the Release after it. */
export async function decidePromotion(
  c: Context<ApiEnv>,
  { store, temporal, signDecision }: ApiDeps,
  release: Release,
  { ref: { org, name, zone }, note, action, update }: Decision,
) {
  const decision = {
    release: name,
    by: c.get('caller').email,
    role: c.get('role') ?? 'member',
    ...(note !== undefined && { note }),
  };
  const scope = { org, product: release.spec.product, zone };
  const proof = signDecision({ action, scope, decision });
  await callWorkflow(temporal, () =>
    temporal.workflow.getHandle(manageZoneId(scope)).executeUpdate(update, { args: [decision, proof] }),
  );
  return await buildReleaseView(store, await getReleaseByName(store, { org, name }), getViewer(c, org));
}
