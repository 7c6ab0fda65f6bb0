import { z } from '@hono/zod-openapi';
import { bandsSource, doraRatings } from '../../src/rules/dora/bands.ts';
import { Timestamp } from '../../src/rules/names.ts';
import { incidentSeverities } from '../../src/rules/incidents/kinds.ts';
import { PromotionSpec } from '../../src/rules/promotions/kinds.ts';
import { decimal } from '../http/views.ts';

/** The newest events of a figure; the others are in the lists of Promotions and of incidents. */
export const eventsMax = 100;

export const DoraQuery = z.strictObject({
  days: decimal({ min: 1, max: 365 })
    .default(30)
    .openapi({ description: 'Number of days (UTC), through today.', default: 30 }),
});

const promotion = {
  product: z.string().describe('Product that was deployed.'),
  promotion: z.string().describe('Name of the Promotion.'),
  release: z.string().describe('Name of the Release.'),
  version: z.string().describe('Version of the Release.'),
  zone: z.string().describe('Release zone.'),
};
const incidentSummary = {
  name: z.string().describe('Name of the incident.'),
  title: z.string().describe('Title of the incident.'),
  openedAt: Timestamp.describe('Time at which the incident opened.'),
};
const Deployment = z
  .object({
    ...promotion,
    trigger: PromotionSpec.shape.trigger,
    startedBy: z.string().describe('E-mail address of the person, or the trigger, that started it.'),
    at: Timestamp.describe('Time at which the Release first became healthy in a release zone.'),
  })
  .openapi('DoraDeployment');
const LeadTime = z
  .object({
    ...promotion,
    change: z.string().optional().describe('Run that merged the Change; absent for a Release that a person started.'),
    from: Timestamp.describe('Time of the merge, or of the start of the Release.'),
    at: Timestamp.describe('Time at which it first ran healthy in a release zone.'),
    seconds: z.number().describe('Lead time in seconds.'),
  })
  .openapi('DoraLeadTime');
const ChangeFailure = z
  .object({
    ...promotion,
    reason: z
      .enum(['promotion-failed', 'incident'])
      .describe('Whether the Promotion failed, or an incident followed within 24 hours.'),
    message: z.string().optional().describe('Why the Promotion failed.'),
    incidents: z.array(z.object(incidentSummary)).describe('Warning and critical incidents that are attributed to it.'),
    restoredSeconds: z
      .number()
      .optional()
      .describe('Time until the last of these incidents was resolved, in seconds; absent while one is open.'),
    at: Timestamp.describe('Time at which the zone became healthy, or at which the Promotion failed before that.'),
  })
  .openapi('DoraChangeFailure');
const Restore = z
  .object({
    ...incidentSummary,
    product: z.string().describe('Product of the incident.'),
    zone: z.string().optional().describe('Zone of the incident; absent if it did not affect a single zone.'),
    severity: z.enum(incidentSeverities).describe('Severity of the incident.'),
    at: Timestamp.describe('Time at which the incident was resolved.'),
    seconds: z.number().describe('Time from opening to resolving, in seconds.'),
  })
  .openapi('DoraRestore');

const summary = {
  value: z
    .number()
    .optional()
    .describe('Releases per week, median seconds, or share of failed deployments; absent if there is no data.'),
  count: z.int().describe('Number of events that are counted.'),
  total: z.int().describe('Total number of events.'),
};
const figure = <T extends z.ZodType>(event: T) =>
  z.object({
    ...summary,
    rating: z.enum(doraRatings).optional().describe('Rating of the value; absent if there is no data.'),
    previous: z.object(summary).describe('The same for as many days before.'),
    trend: z
      .array(
        z.object({
          from: Timestamp.describe('Beginning of the part.'),
          value: summary.value,
        }),
      )
      .describe('Value of up to ten parts of the days, oldest first.'),
    events: z.array(event).describe(`The newest ${eventsMax} of the counted events, newest first.`),
  });

const figures = {
  deploymentFrequency: figure(Deployment).describe(
    'Releases that became healthy in a release zone for the first time, per week.',
  ),
  leadTime: figure(LeadTime).describe('Median time from the merge of a Change to running healthy in a release zone.'),
  changeFailureRate: figure(ChangeFailure).describe(
    'Share of the deployments to a release zone that failed, or that an incident followed within 24 hours.',
  ),
  timeToRestore: figure(Restore).describe('Median time from opening to resolving warning and critical incidents.'),
};
const period = {
  days: z.int().describe('Number of days.'),
  from: Timestamp.describe('Beginning of the first day (UTC).'),
  to: Timestamp.describe('End of today (UTC).'),
};
const Bands = z.object({
  year: z.int().describe('Year of the report that the bands of the ratings are from.'),
  title: z.string().describe('Title of the report.'),
  url: z.string().describe('URL of the report.'),
});

export const ProductDoraView = z
  .object({
    org: z.string().describe('Name of the org.'),
    product: z.string().describe('Name of the Product.'),
    releaseZones: z.array(z.string()).describe('Zones that count as production.'),
    ...period,
    ...figures,
    bands: Bands.describe('Source of the ratings.'),
  })
  .openapi('ProductDora');
export const OrgDoraView = z
  .object({
    org: z.string().describe('Name of the org.'),
    products: z
      .array(
        z.object({
          product: z.string().describe('Name of the Product.'),
          releaseZones: z.array(z.string()).describe('Zones that count as production.'),
        }),
      )
      .describe('Products that are counted.'),
    ...period,
    ...figures,
    bands: Bands.describe('Source of the ratings.'),
  })
  .openapi('OrgDora');
export const bands = bandsSource;
