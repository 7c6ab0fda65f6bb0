import {
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DomainSnapshot } from '../../activities/domains/domain-activities.ts';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { conflictFailure } from '../failures.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { serialQueue } from '../serial-queue.ts';
import { startDetached } from '../start-detached.ts';
import {
  type DomainIntervals,
  type VerifyDomainInput,
  checkDomainUpdate,
  checksChangedSignal,
  claimDomainUpdate,
  removeDomainUpdate,
  sweepDnsStart,
} from './messages.ts';

const { refreshDomainState, beginDomainRemoval, deleteDomainResources } =
  proxyLocalActivities<Activities>(storeOptions);
const { claimDomain } = proxyActivities<Activities>(externalApiOptions);
/** A person waits for the check, so it runs as a local activity: a separate task would take longer than the check. */
const { checkDomain } = proxyLocalActivities<Activities>({
  ...storeOptions,
  startToCloseTimeout: '1 minute',
  // The other messages about the name wait for the check.
  retry: { ...storeOptions.retry, maximumAttempts: 5 },
});

/** Managed records appear within seconds; the sweep finds the ones that take longer. */
const defaultIntervals: DomainIntervals = {
  managedTimeoutMs: 60_000,
  managedPollIntervalMs: 1_000,
  sweepIntervalMs: 60_000,
};

/** The state of a name between messages: handlers write it, and the main loop acts on it. */
type DomainNameState = {
  input: VerifyDomainInput;
  intervals: DomainIntervals;
  /** The orgs that claim the name, each with the time at which its claim may change without a new check. */
  deadlines: Map<string, number>;
  orgsToEvaluate: Set<string>;
  /** The orgs whose managed records were just requested. */
  orgsAwaitingRecords: Set<string>;
  /** The shards that sweep the name, and whether the loop has already ensured their sweep. */
  startedSweeps: Map<number, boolean>;
  hasReceivedMessage: boolean;
  enqueue: ReturnType<typeof serialQueue>;
};

/**
 * Decides all claims to one name: which org holds it, and whether that org has proven control. The loop checks DNS only
 * on request; the sweep signals new results, and a deadline triggers the next evaluation.
 */
export async function verifyDomain(input: VerifyDomainInput): Promise<void> {
  const { domain } = input;
  const name: DomainNameState = {
    input,
    intervals: { ...defaultIntervals, ...input.intervals },
    deadlines: new Map((input.orgs ?? []).map((org) => [org, Infinity])),
    orgsToEvaluate: new Set([...(input.orgs ?? []), ...(input.orgsToEvaluate ?? [])]),
    orgsAwaitingRecords: new Set(),
    startedSweeps: new Map(),
    hasReceivedMessage: input.orgs !== undefined,
    enqueue: serialQueue(),
  };
  registerHandlers(name);

  for (;;) {
    await condition(() => hasWork(name) || isFinished(name), msUntilNextDeadline(name));
    await ensureSweeps(name);
    for (const [org, at] of name.deadlines) if (at <= Date.now()) name.orgsToEvaluate.add(org);
    for (const org of name.orgsAwaitingRecords) {
      name.orgsAwaitingRecords.delete(org);
      const snapshot = await proxyWaits().waitForManagedDomain({ org, domain, ...toPollOptions(name.intervals) });
      // The org may have removed the domain meanwhile, so its current state counts.
      if (patched('evaluate-after-wait')) name.orgsToEvaluate.add(org);
      else applySnapshot(name, org, snapshot);
    }
    for (const org of name.orgsToEvaluate) {
      name.orgsToEvaluate.delete(org);
      await name.enqueue(async () => applySnapshot(name, org, await refreshDomainState({ org, domain })));
    }
    if (isFinished(name)) return;
    if (!workflowInfo().continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof verifyDomain>({
      ...input,
      orgs: [...name.deadlines.keys()],
      orgsToEvaluate: [...name.orgsToEvaluate],
    });
  }
}

const hasWork = ({ orgsToEvaluate, orgsAwaitingRecords, startedSweeps }: DomainNameState): boolean =>
  orgsToEvaluate.size > 0 ||
  orgsAwaitingRecords.size > 0 ||
  [...startedSweeps.values()].includes(false) ||
  workflowInfo().continueAsNewSuggested;

/** The loop ends when no org claims the name, which includes a first claim that was refused. */
const isFinished = ({ hasReceivedMessage, deadlines, orgsToEvaluate }: DomainNameState): boolean =>
  hasReceivedMessage && deadlines.size === 0 && orgsToEvaluate.size === 0 && allHandlersFinished();

/** Longer than any deadline, because a timer needs a finite duration. */
const sleepMsMax = 30 * 24 * 60 * 60_000;
const msUntilNextDeadline = ({ deadlines }: DomainNameState): number =>
  Math.max(1, Math.min(sleepMsMax, ...[...deadlines.values()].map((at) => at - Date.now())));

const toPollOptions = ({ managedTimeoutMs, managedPollIntervalMs }: DomainIntervals) => ({
  timeoutMs: managedTimeoutMs,
  intervalMs: managedPollIntervalMs,
});

function registerHandlers(name: DomainNameState): void {
  const { domain } = name.input;
  setHandler(checksChangedSignal, ({ org }) => {
    name.hasReceivedMessage = true;
    name.orgsToEvaluate.add(org);
  });
  const enqueueMessage = async <T>(work: () => Promise<T>): Promise<T> => {
    name.hasReceivedMessage = true;
    return await name.enqueue(work);
  };
  setHandler(claimDomainUpdate, async (request) => {
    await enqueueMessage(async () => {
      // The Domain may have been deleted with kubectl.
      if (name.deadlines.has(request.org) && patched('claim-after-deletion'))
        applySnapshot(name, request.org, await refreshDomainState({ org: request.org, domain }));
      if (name.deadlines.has(request.org))
        throw conflictFailure('domain-claimed', `The org "${request.org}" has already claimed the domain "${domain}".`);
      const snapshot = await claimDomain({ domain, ...request });
      applySnapshot(name, request.org, snapshot);
      if (snapshot.kind === 'managed') name.orgsAwaitingRecords.add(request.org);
    });
  });
  setHandler(checkDomainUpdate, async ({ org }) => {
    await enqueueMessage(async () => applySnapshot(name, org, await checkDomain({ org, domain })));
  });
  setHandler(removeDomainUpdate, async ({ org }) => {
    await enqueueMessage(async () => {
      await beginDomainRemoval({ org, domain });
      await deleteDomainResources({ org, domain });
      applySnapshot(name, org, undefined);
    });
  });
}

function applySnapshot(name: DomainNameState, org: string, snapshot: DomainSnapshot | undefined): void {
  setCurrentDetails(snapshot ? `**${snapshot.state}** for ${org}` : 'No org claims the name.');
  if (!snapshot) return void name.deadlines.delete(org);
  const { shard, gracePeriodEndsAt } = snapshot;
  if (!name.startedSweeps.has(shard)) name.startedSweeps.set(shard, false);
  name.deadlines.set(org, gracePeriodEndsAt === undefined ? Infinity : Date.parse(gracePeriodEndsAt));
}

/** A sweep serves all domains of its shard, so it must outlive the domain that starts it. */
async function ensureSweeps({ startedSweeps, intervals }: DomainNameState): Promise<void> {
  for (const [shard, isStarted] of startedSweeps) {
    startedSweeps.set(shard, true);
    if (!isStarted) await startDetached(sweepDnsStart({ shard, intervalMs: intervals.sweepIntervalMs }));
  }
}
