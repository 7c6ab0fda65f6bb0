import { defineSignal, defineUpdate } from '@temporalio/workflow';

type DomainRef = { org: string; domain: string };

export type VerifyDomainInput = {
  domain: string;
  /** Carried over when the loop continues as new. */
  orgs?: string[];
  due?: string[];
  pace?: Partial<DomainPace>;
};
/** How long, and how often, a managed domain's records are looked for at once; how often the sweep asks. */
export type DomainPace = { managedWithinMs: number; managedEveryMs: number; sweepMs: number };

export type DomainClaimRequest = { org: string; kind: 'managed' | 'external'; shared: boolean };

/** Takes the name for an org; refused while another holds it. */
export const claimDomain = defineUpdate<void, [DomainClaimRequest]>('claimDomain');
/** Asks DNS at once, and answers when that is written down. */
export const checkNow = defineUpdate<void, [{ org: string }]>('checkNow');
/** Refused while a zone has an address under it. */
export const removeDomain = defineUpdate<void, [{ org: string }]>('removeDomain');
/** The sweep has seen something new of the org's domain, and has written it down. */
export const observed = defineSignal<[{ org: string }]>('observed');

/** All claims to one name are told here, one after the other: the first org to claim it keeps it. */
export const verifyDomainId = ({ domain }: Pick<DomainRef, 'domain'>): string => `verify-domain/${domain}`;

export type SweepDnsInput = { shard: number; paceMs: number };
/** One round of questions at a time for all domains of a shard. */
export const sweepDnsId = ({ shard }: Pick<SweepDnsInput, 'shard'>): string => `sweep-dns/${shard}`;
