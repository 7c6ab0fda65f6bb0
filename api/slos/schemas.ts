import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import { sloStates } from '../../src/rules/slos/kinds.ts';

const Share = z.number();

const SloStateView = z.enum([...sloStates, 'unavailable']);

export const SloView = z
  .object({
    name: z.string().describe('Name of the SLO.'),
    zone: z.string().describe('Zone that the SLO measures.'),
    description: z.string().optional().describe('What the SLO promises to users.'),
    objective: z.string().describe('Percentage of good requests that is promised.'),
    window: z.string().describe('Period that the objective covers, such as `7d`.'),
    indicator: z.enum(['availability', 'latency']).describe('Which requests are good.'),
    thresholdSeconds: z.number().optional().describe('Time within which a request is good, for `latency`.'),
    state: SloStateView.describe(
      'State of the objective: met (`meeting`), failing fast enough to alert (`burning`), missed in the window (`spent`), without requests so far (`no-traffic`), or unknown because Prometheus cannot be asked (`unavailable`).',
    ),
    message: z.string().describe('State in words, and what to do.'),
    attainment: Share.optional().describe('Share of good requests in the window, from 0 to 1.'),
    budgetLeft: Share.optional().describe(
      'Share of the error budget that is left; negative if more than all is spent.',
    ),
    burn1h: z.number().optional().describe('Burn rate of the last hour: 1 spends the budget exactly in the window.'),
    burn6h: z.number().optional().describe('Burn rate of the last 6 hours.'),
    requestsPerSecond: z.number().optional().describe('Requests per second in the last minutes.'),
    issues: z.array(z.string()).describe('Why the SLO cannot alert as it is.'),
  })
  .openapi('Slo');

export const SlosView = z
  .object({
    items: z.array(SloView).describe('Each SLO in each zone.'),
    windowMax: z.string().describe('Time for which the installation keeps metrics, which no window exceeds.'),
  })
  .openapi('Slos');

export const SloBudgetView = z
  .object({
    points: z
      .array(
        z.object({
          at: Timestamp.describe('Time of the measurement.'),
          budgetLeft: Share.describe('Share of the error budget that was left in the window up to that time.'),
        }),
      )
      .describe('Measurements, oldest first; a time without any has no point.'),
  })
  .openapi('SloBudget');

export const SloSummaryView = z
  .object({
    product: z.string().describe('Name of the Product.'),
    state: SloStateView.describe('Most urgent state of its objectives.'),
    met: z.int().describe('Number of objectives in the state `meeting`.'),
    total: z.int().describe('Number of objectives; each SLO counts in each zone that it measures.'),
  })
  .openapi('SloSummary');

export const SloSummariesView = z
  .object({ items: z.array(SloSummaryView).describe('Each Product with SLOs, in the order of their names.') })
  .openapi('SloSummaries');
