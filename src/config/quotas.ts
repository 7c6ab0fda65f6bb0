import { z } from 'zod';
import type { Quotas } from '../rules/quotas.ts';
import { wholeNumberSchema } from './schemas.ts';

const quotaSchema = wholeNumberSchema(1);

export const quotaVariables = {
  QUOTA_TOKENS_PER_USER: quotaSchema.default(50).describe('API tokens that one person can have.'),
  QUOTA_STREAMS_PER_USER: quotaSchema
    .default(20)
    .describe('Event streams that one person can have open at one API process.'),
  QUOTA_REQUESTS_PER_USER_PER_MINUTE: quotaSchema
    .default(12_000)
    .describe(
      'Requests that one person can send to each API process in a minute, four fifths of them with API tokens.',
    ),
  QUOTA_PRODUCTS_PER_ORG: quotaSchema.default(200).describe('Products that one org can have.'),
  QUOTA_ZONES_PER_ORG: quotaSchema.default(500).describe('Zones that all Products of one org can have together.'),
  QUOTA_DOMAINS_PER_ORG: quotaSchema.default(100).describe('Domains that one org can claim.'),
  QUOTA_RUNS_PER_ORG: quotaSchema
    .default(50)
    .describe('Runs of one org that can be in progress at once. A run that waits for a person does not count.'),
  QUOTA_OPEN_INCIDENTS_PER_ORG: quotaSchema
    .default(200)
    .describe('Incidents of one org that people opened and are not resolved yet. Alerts have no such limit.'),
};

export const toQuotas = (env: z.infer<z.ZodObject<typeof quotaVariables>>): Quotas => ({
  tokensPerUser: env.QUOTA_TOKENS_PER_USER,
  streamsPerUser: env.QUOTA_STREAMS_PER_USER,
  requestsPerUserPerMinute: env.QUOTA_REQUESTS_PER_USER_PER_MINUTE,
  productsPerOrg: env.QUOTA_PRODUCTS_PER_ORG,
  zonesPerOrg: env.QUOTA_ZONES_PER_ORG,
  domainsPerOrg: env.QUOTA_DOMAINS_PER_ORG,
  runsPerOrg: env.QUOTA_RUNS_PER_ORG,
  openIncidentsPerOrg: env.QUOTA_OPEN_INCIDENTS_PER_ORG,
});
