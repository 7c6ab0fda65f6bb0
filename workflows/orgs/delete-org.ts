import {
  continueAsNew,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { OrgDeletionRef } from '../../activities/orgs/org-deletion.ts';
import { externalApiOptions, storeOptions, watchOptions } from '../activity-options.ts';
import { checksChangedSignal, verifyDomainId } from '../domains/messages.ts';
import { activityFailureMessage } from '../failures.ts';
import { deleteProductStart } from '../products/messages.ts';
import { runScheduleId, scheduleChangedSignal } from '../scheduling/messages.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import { startDetached } from '../start-detached.ts';
import type { DeleteOrgInput } from './messages.ts';

const local = proxyLocalActivities<Activities>(storeOptions);
const long = proxyActivities<Activities>(watchOptions);
const { beginOrgDeletion, listOrgDomains, markProductsDeleting, recordOrgDeletion } = local;
const { beginDomainRemoval, deleteDomainResources } = proxyActivities<Activities>(externalApiOptions);

const defaultRetryDelayMs = 60_000;

/**
 * Deletes an org with everything that belongs to it. Every step is idempotent, so a step that is refused shows why, and
 * the deletion begins again later.
 *
 *   stop schedules, runs, Releases ─► Products with their zones ─► domains ─► names, blobs, namespace ─► Organization
 */
export async function deleteOrg(input: DeleteOrgInput): Promise<void> {
  const deletion = await beginOrgDeletion({ org: input.org });
  if (!deletion) return;
  const ref = { org: input.org, uid: deletion.uid };
  while (!workflowInfo().continueAsNewSuggested) {
    try {
      await stopWork(ref);
      await deleteProducts(ref, input.by);
      await deleteDomains(ref);
      return await proxyWaits().deleteOrgResources(ref);
    } catch (error) {
      const message = activityFailureMessage(error);
      setCurrentDetails(message);
      await recordOrgDeletion({ ...ref, message });
    }
    await sleep(input.intervals?.retryDelayMs ?? defaultRetryDelayMs);
  }
  await continueAsNew<typeof deleteOrg>(input);
}

async function stopWork(ref: OrgDeletionRef): Promise<void> {
  const { org } = ref;
  // Thousands of runs take longer to list than a local activity may.
  const { listOrgWork } = patched('long-list') ? long : local;
  const { schedules, workflowIds } = await listOrgWork(ref);
  for (const agentWorkflow of schedules)
    await signalIfRunning(runScheduleId({ org, agentWorkflow }), async (handle) => {
      await handle.signal(scheduleChangedSignal);
    });
  for (const workflowId of workflowIds) await signalIfRunning(workflowId, async (handle) => await handle.cancel());
  if (workflowIds.length > 0) await proxyWaits().waitForOrgWork(ref);
}

async function deleteProducts(ref: OrgDeletionRef, by: string): Promise<void> {
  const products = await markProductsDeleting({ ...ref, by });
  for (const product of products) await startDetached(deleteProductStart({ org: ref.org, product, by }));
  if (products.length > 0) await proxyWaits().waitForProductDeletions(ref);
}

async function deleteDomains(ref: OrgDeletionRef): Promise<void> {
  const { org } = ref;
  for (const domain of await listOrgDomains(ref)) {
    await beginDomainRemoval({ org, domain });
    await deleteDomainResources({ org, domain });
    // The workflow of the domain reads it again, and ends when no org claims it.
    await signalIfRunning(verifyDomainId({ domain }), async (handle) => {
      await handle.signal(checksChangedSignal, { org });
    });
  }
}
