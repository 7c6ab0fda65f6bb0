import { ServiceError } from '../errors.ts';

/** The number of each thing that one org or person may have. */
export type Quotas = {
  tokensPerUser: number;
  streamsPerUser: number;
  requestsPerUserPerMinute: number;
  productsPerOrg: number;
  zonesPerOrg: number;
  domainsPerOrg: number;
  runsPerOrg: number;
  openIncidentsPerOrg: number;
};

const descriptions: Record<keyof Quotas, { holder: string; things: string; setting: string }> = {
  tokensPerUser: { holder: 'person', things: 'API tokens', setting: 'QUOTA_TOKENS_PER_USER' },
  streamsPerUser: { holder: 'person', things: 'open event streams', setting: 'QUOTA_STREAMS_PER_USER' },
  requestsPerUserPerMinute: {
    holder: 'person',
    things: 'requests per minute',
    setting: 'QUOTA_REQUESTS_PER_USER_PER_MINUTE',
  },
  productsPerOrg: { holder: 'org', things: 'Products', setting: 'QUOTA_PRODUCTS_PER_ORG' },
  zonesPerOrg: { holder: 'org', things: 'zones', setting: 'QUOTA_ZONES_PER_ORG' },
  domainsPerOrg: { holder: 'org', things: 'domains', setting: 'QUOTA_DOMAINS_PER_ORG' },
  runsPerOrg: { holder: 'org', things: 'runs in progress', setting: 'QUOTA_RUNS_PER_ORG' },
  openIncidentsPerOrg: {
    holder: 'org',
    things: 'open incidents that people opened',
    setting: 'QUOTA_OPEN_INCIDENTS_PER_ORG',
  },
};

/** Says why a holder cannot have one more of a thing. */
export function describeReachedQuota(quotas: Quotas, name: keyof Quotas): string {
  const { holder, things, setting } = descriptions[name];
  return `the ${holder} has reached the limit of ${quotas[name]} ${things} (${setting})`;
}

/** Throws when a holder would have more of a thing than its quota allows. */
export function assertWithinQuota(quotas: Quotas, name: keyof Quotas, count: number): void {
  if (count > quotas[name]) throw quotaReached(quotas, name);
}

export const quotaReached = (quotas: Quotas, name: keyof Quotas): ServiceError =>
  new ServiceError(
    'quota-reached',
    `The request was refused: ${describeReachedQuota(quotas, name)}. Remove ${descriptions[name].things} that are not needed, or ask an operator to raise the limit.`,
  );
