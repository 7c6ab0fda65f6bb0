import { sleep } from '@temporalio/workflow';
import type { EditOutcome } from '../../activities/codehost/merge-edit.ts';
import type { Outage } from '../../activities/environments/zone-preparation.ts';
import { mergeRetryDelayMs, promotionMergeWaitMs } from '../../src/rules/changes/merge-wait.ts';
import type { WaitingFor } from '../../src/rules/changes/kinds.ts';
import { timestamp } from '../timestamp.ts';
import type { ZoneController } from './zone-controller.ts';

type Blocked = Extract<EditOutcome, { outcome: 'blocked' }> & Partial<Pick<Outage, 'outage'>>;
type Refused = Extract<EditOutcome, { outcome: 'refused' }>;

type Steps<Outcome> = {
  /** Runs before each write that follows a blocked one; returns true after a wait of its own, and the limit begins again. */
  pause?: () => Promise<boolean>;
  /** Receives the pull request that the attempt before has opened. */
  write: (proposal?: number) => Promise<Outcome | Blocked>;
  onBlocked: (waitingFor: WaitingFor) => Promise<void>;
};

/**
 * Repeats a write to the gitops repo until the code host and the cluster of the zone respond and the rules of the branch
 * allow the merge, or the limit has passed.
 */
export async function writeWhenAllowed<Outcome extends { outcome: string }>(
  { intervals }: Pick<ZoneController, 'intervals'>,
  { pause, write, onBlocked }: Steps<Outcome>,
): Promise<Exclude<Outcome, Blocked> | Refused> {
  const limitMs = intervals.mergeWaitMs ?? promotionMergeWaitMs;
  let since = timestamp();
  let shown: string | undefined;
  let proposal: number | undefined;
  for (;;) {
    const result = await write(proposal);
    if (!isBlocked(result)) return result as Exclude<Outcome, Blocked>;
    const { message } = result;
    proposal = result.pullRequest?.number ?? proposal;
    const waitedMs = Date.now() - Date.parse(since);
    if (waitedMs >= limitMs) return { outcome: 'refused', message: `${describeBlocker(result)}: ${message}` };
    const until = new Date(Date.parse(since) + limitMs).toISOString();
    if (message !== shown) await onBlocked({ role: toRole(result), since, until, message });
    shown = message;
    await sleep(Math.min(intervals.mergeRetryMs ?? mergeRetryDelayMs(waitedMs), limitMs - waitedMs));
    if (await pause?.()) {
      since = timestamp();
      shown = undefined;
    }
  }
}

const isBlocked = (result: { outcome: string }): result is Blocked => result.outcome === 'blocked';

const toRole = ({ outage, needsPerson }: Blocked): WaitingFor['role'] =>
  outage ?? (needsPerson ? 'member' : 'codehost');

const outageTexts = {
  cluster: 'The cluster of the zone still does not respond',
  codehost: 'The code host still does not respond',
};
const describeBlocker = ({ outage }: Blocked): string =>
  outage ? outageTexts[outage] : 'The rules of the branch still block the merge';
