import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { rounds } from '../activity-options.ts';
import type { SweepDnsInput } from './messages.ts';

const { sweepDomains } = proxyActivities<Activities>(rounds);

/** Long enough to cost no history worth speaking of, and short enough that a new release of the worker takes over soon. */
const roundsPerActivity = 60;

/** Asks for every domain of a shard for as long as there is an installation. */
export async function sweepDns(input: SweepDnsInput): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await sweepDomains({ ...input, rounds: roundsPerActivity });
  await continueAsNew<typeof sweepDns>(input);
}
