import { continueAsNew, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { OrgWork } from '../../activities/backups/open-work-activities.ts';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { parseRequestId } from '../../src/rules/changes/run-workflow-id.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowStart } from '../changes/messages.ts';
import { verifyDomainStart } from '../domains/messages.ts';
import { keepRepositoryAccessStart, manageZoneStart } from '../environments/messages.ts';
import { reconcileIncidentsStart } from '../incidents/messages.ts';
import { reconcileDeliveriesStart } from '../intake/messages.ts';
import { deleteOrgStart } from '../orgs/messages.ts';
import { deleteProductStart, scaffoldProductStart } from '../products/messages.ts';
import { promoteReleaseId } from '../../src/rules/releases/promote-release-id.ts';
import { promoteReleaseStart } from '../releases/messages.ts';
import { runScheduleStart } from '../scheduling/messages.ts';
import { reconcileSloRulesStart } from '../slos/messages.ts';
import { startDetached } from '../start-detached.ts';
import type { RestoreBackupInput } from './messages.ts';

type RestoreBackup = (input: RestoreBackupInput) => Promise<void>;

const { listRestoredOrgs } = proxyLocalActivities<Activities>(storeOptions);
const { listClaimedDomains, listOpenWork } = proxyActivities<Activities>(externalApiOptions);

/**
 * Starts the workflows of all work that the resources show as unfinished, each from the state of its resource. One that
 * is running already holds its id, so it is not started again. Returns how many were started.
 */
export async function restartOpenWork(input: RestoreBackupInput): Promise<number> {
  let restarted = input.restart?.restarted ?? 0;
  const start = async (options: Parameters<typeof startDetached>[0]): Promise<void> => {
    if ((await startDetached(options)) !== undefined) restarted += 1;
  };
  const orgs = input.restart?.orgs ?? (await listRestoredOrgs());
  if (!input.restart)
    for (const { domain, orgs: holders } of await listClaimedDomains())
      await start(verifyDomainStart({ domain, org: holders[0] ?? '', orgs: holders }));
  for (const [index, org] of orgs.entries()) {
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<RestoreBackup>({ ...input, restart: { orgs: orgs.slice(index), restarted } });
    const work = await listOpenWork({ org });
    for (const options of listStarts(org, work)) await start(options);
  }
  return restarted;
}

/** Zones come before the Releases that ask them to promote, and Releases before the runs that start some. */
function listStarts(org: string, work: OrgWork): Parameters<typeof startDetached>[0][] {
  const { isDeleting, hasCodehost, hasSlos, schedules, scaffolds, deletedProducts, zones, releases, runs } = work;
  const by = 'restore';
  return [
    ...(isDeleting ? [deleteOrgStart({ org, by })] : []),
    ...(hasCodehost ? [keepRepositoryAccessStart({ org }), reconcileDeliveriesStart({ org })] : []),
    ...(hasSlos ? [reconcileSloRulesStart({ org }), reconcileIncidentsStart({ org })] : []),
    ...zones.map(({ queue, ...zone }) =>
      manageZoneStart({
        org,
        ...zone,
        queue: queue.map((request) => ({
          ...request,
          replyToWorkflowId: promoteReleaseId({ org, product: zone.product, commit: request.commit }),
        })),
      }),
    ),
    ...releases.map((release) => promoteReleaseStart({ org, ...release })),
    ...runs.map((run) => runAgentWorkflowStart(toRunInput(org, run))),
    ...scaffolds.map((scaffold) => scaffoldProductStart({ org, ...scaffold })),
    ...deletedProducts.map((product) => deleteProductStart({ org, product, by })),
    ...schedules.map((agentWorkflow) => runScheduleStart({ org, agentWorkflow })),
  ];
}

function toRunInput(org: string, { run, workflowId, ...spec }: OrgWork['runs'][number]): RunAgentWorkflowInput {
  const requestId = parseRequestId(workflowId, { org, ...spec });
  return { org, ...spec, ...(requestId !== undefined && { requestId }), resume: { run } };
}
