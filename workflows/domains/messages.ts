import { defineSignal, defineUpdate } from '@temporalio/workflow';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type VerifyDomainInput = {
  domain: string;
  /** The org whose request or check starts the loop; other orgs may claim the same name later. */
  org: string;
  /** Carried over when the loop continues as new. */
  orgs?: string[];
  orgsToEvaluate?: string[];
  intervals?: Partial<DomainIntervals>;
};
/** The wait for a managed domain's records, its poll interval, and the interval of the sweep. */
export type DomainIntervals = { managedTimeoutMs: number; managedPollIntervalMs: number; sweepIntervalMs: number };

export type DomainClaimRequest = { org: string; kind: 'managed' | 'external'; shared: boolean };

/** Claims the name for an org; fails while another org holds it. */
export const claimDomainUpdate = defineUpdate<void, [DomainClaimRequest]>('claimDomain');
/** Checks DNS immediately, and returns once the result is in the store. */
export const checkDomainUpdate = defineUpdate<void, [{ org: string }]>('checkDomain');
/** Fails while a zone has an address under the name. */
export const removeDomainUpdate = defineUpdate<void, [{ org: string }]>('removeDomain');
/** Announces that the sweep has stored new check results for the org's domain. */
export const checksChangedSignal = defineSignal<[{ org: string }]>('checksChanged');

/** The id allows one loop per name: all claims to it are decided one after the other. */
export const verifyDomainId = ({ domain }: { domain: string }): string => `verify-domain/${domain}`;

export const verifyDomainStart = (
  input: VerifyDomainInput,
): WorkflowStart<(input: VerifyDomainInput) => Promise<void>> => ({
  type: 'verifyDomain',
  options: {
    workflowId: verifyDomainId(input),
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'domain' }),
    staticSummary: `Domain ${input.domain}`,
    staticDetails: `First claimed by org **${input.org}**.`,
  },
});

export type SweepDnsInput = { shard: number; intervalMs: number };
/** The id allows one sweep at a time for the domains of a shard. */
export const sweepDnsId = ({ shard }: Pick<SweepDnsInput, 'shard'>): string => `sweep-dns/${shard}`;

export const sweepDnsStart = (input: SweepDnsInput): WorkflowStart<(input: SweepDnsInput) => Promise<void>> => ({
  type: 'sweepDns',
  options: {
    workflowId: sweepDnsId(input),
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ targetKind: 'domain' }),
    staticSummary: `DNS sweep of shard ${input.shard}`,
    staticDetails: `Checks the domains of all orgs every ${input.intervalMs} ms.`,
  },
});
