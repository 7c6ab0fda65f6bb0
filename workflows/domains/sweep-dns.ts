import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { sweepOptions } from '../activity-options.ts';
import { tryActivity } from '../try-activity.ts';
import type { SweepDnsInput } from './messages.ts';

const { sweepDomains } = proxyActivities<Activities>(sweepOptions);

/** Enough rounds to keep the history short, and few enough that a new version of the worker takes over soon. */
const roundsPerActivity = 60;

/** Checks the DNS records of every domain of a shard, for as long as the installation exists. */
export async function sweepDns(input: SweepDnsInput): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) {
    const isSwept = await tryActivity(async () => await sweepRounds(input));
    if (!isSwept) await sleep(input.intervalMs);
  }
  await continueAsNew<typeof sweepDns>(input);
}

async function sweepRounds(input: SweepDnsInput): Promise<true> {
  await sweepDomains({ ...input, rounds: roundsPerActivity });
  return true;
}
