import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { sweepOptions } from '../activity-options.ts';
import type { SweepDnsInput } from './messages.ts';

const { sweepDomains } = proxyActivities<Activities>(sweepOptions);

/** Enough rounds to keep the history short, and few enough that a new version of the worker takes over soon. */
const roundsPerActivity = 60;

/** Checks the DNS records of every domain of a shard, for as long as the installation exists. */
export async function sweepDns(input: SweepDnsInput): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) await sweepDomains({ ...input, rounds: roundsPerActivity });
  await continueAsNew<typeof sweepDns>(input);
}
