import { z } from 'zod';
import { NameLabel, Timestamp, ZoneName } from '../names.ts';

const Matchers = z.string().min(1).max(500);
const MetricName = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/, 'must be the name of a Prometheus metric');

export const AvailabilityIndicator = z.strictObject({
  metric: MetricName.describe('Name of a counter of requests.'),
  errors: Matchers.optional().describe('Label matchers of the bad requests; defaults to `code=~"5.."`.'),
  filter: Matchers.optional().describe('Label matchers of all requests that count; all of the metric if absent.'),
});

export const LatencyIndicator = z.strictObject({
  histogram: MetricName.describe('Name of a histogram; the SLO reads its `_bucket` and `_count` series.'),
  threshold: z
    .string()
    .max(20)
    .regex(/^\d+(\.\d+)?$/, 'must be a number of seconds')
    .describe('Seconds within which a request is good; must be one of the `le` buckets of the histogram.'),
  filter: Matchers.optional().describe('Label matchers of all requests that count; all of the histogram if absent.'),
});

export const SloSpec = z.strictObject({
  name: NameLabel.describe('Name of the SLO, unique in the Product.'),
  description: z.string().max(500).optional().describe('What the SLO promises to users.'),
  objective: z
    .string()
    .max(10)
    .regex(/^\d{1,2}(\.\d{1,6})?$/, 'must be a percentage of at least 0 and less than 100, such as "99.9"')
    .describe('Percentage of good requests, such as `99.9`.'),
  window: z
    .string()
    .max(10)
    .regex(/^[1-9]\d*(m|h|d|w)$/, 'must be a duration such as "168h" or "7d"')
    .optional()
    .describe('Period that the objective covers; defaults to the retention of metrics, and cannot be longer.'),
  zones: z
    .array(ZoneName)
    .min(1)
    .max(10)
    .optional()
    .describe('Zones that the SLO measures; defaults to the release zones of the Product.'),
  indicator: z
    .strictObject({
      availability: AvailabilityIndicator.optional().describe('Counts requests without an error as good.'),
      latency: LatencyIndicator.optional().describe('Counts requests within the threshold as good.'),
    })
    .describe('Measure of good requests: either `availability` or `latency`.'),
});
export type SloSpec = z.infer<typeof SloSpec>;

export const slosPerProductMax = 20;

export const sloStates = ['meeting', 'burning', 'spent', 'no-traffic'] as const;
export type SloState = (typeof sloStates)[number];

/** Error ratios of an SLO in a zone; a range without requests has none. */
export type SloMeasurement = {
  ratios: { '5m'?: number; '30m'?: number; '1h'?: number; '6h'?: number };
  windowRatio?: number;
};

/** The state of the alert rules of a Product, as Prometheus reports it. */
export const ObservabilityStatus = z.object({
  phase: z
    .enum(['NoObjectives', 'Pending', 'Ready', 'Failed', 'Unavailable'])
    .describe(
      'State of the alert rules: `Ready` if Prometheus evaluates all, `Failed` if it rejects one, `Unavailable` if the installation has no Prometheus or cannot reach it.',
    ),
  message: z.string().describe('State of the alert rules in words, and how to fix it.'),
  checkedAt: Timestamp.describe('Time at which Prometheus was asked.'),
  slos: z
    .array(
      z.object({
        name: z.string().describe('Name of the SLO.'),
        zone: z.string().describe('Zone that the SLO measures.'),
        message: z.string().describe('What is wrong with the SLO in the zone, and how to fix it.'),
      }),
    )
    .optional()
    .describe('SLOs that cannot alert as they are; absent if there are none.'),
});
export type ObservabilityStatus = z.infer<typeof ObservabilityStatus>;
