import { z } from 'zod';
import { type MetricsServer, prometheusWords, requestMetrics } from './metrics-request.ts';
import type { LoadedRule, Monitoring } from './monitoring.ts';
import type { SeriesRange } from './zone-telemetry.ts';

const Labels = z.record(z.string(), z.string());
const Point = z.tuple([z.number(), z.string()]);

/** Prometheus writes the special values as `NaN`, `+Inf` and `-Inf`. */
const toNumber = (text: string): number => Number(text.replace('Inf', 'Infinity'));

const InstantResponse = z.object({
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: Labels, value: Point })) }),
    z.object({ resultType: z.literal('scalar'), result: Point }),
  ]),
});

const RangeResponse = z.object({
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(z.object({ metric: Labels, values: z.array(Point) })),
  }),
});

const Rule = z
  .object({
    type: z.enum(['alerting', 'recording']),
    name: z.string(),
    query: z.string(),
    labels: Labels.optional(),
    health: z.enum(['ok', 'err', 'unknown']),
    lastError: z.string().optional(),
    lastEvaluation: z.string(),
    state: z.enum(['inactive', 'pending', 'firing']).optional(),
  })
  .transform(({ type, name, query, labels = {}, health, lastError, lastEvaluation, state }): LoadedRule => {
    // A rule that has not been evaluated has the zero time of Go.
    const isEvaluated = !lastEvaluation.startsWith('0001-');
    return {
      kind: type,
      name,
      query,
      labels,
      health,
      ...(lastError && { error: lastError }),
      ...(isEvaluated && { lastEvaluation: new Date(lastEvaluation) }),
      ...(state && { state }),
    };
  });
const RulesResponse = z.object({
  data: z.object({
    groups: z.array(z.object({ name: z.string(), file: z.string(), interval: z.number(), rules: z.array(Rule) })),
  }),
});

/** Runs an instant query. */
export const queryInstant =
  (server: MetricsServer): Monitoring['queryInstant'] =>
  async (query, at) => {
    const { data } = await requestMetrics(server, {
      ...prometheusWords,
      path: '/api/v1/query',
      parameters: { query, ...(at && { time: String(at.getTime() / 1_000) }) },
      schema: InstantResponse,
    });
    if (data.resultType === 'scalar') return [{ labels: {}, value: toNumber(data.result[1]) }];
    return data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: toNumber(value) }));
  };

/** Runs a query over a range. A value covers the time before its timestamp, so each step is queried at its end. */
export const queryRange =
  (server: MetricsServer): Monitoring['queryRange'] =>
  async (query, { from, to, stepSeconds }: SeriesRange) => {
    const start = String(from.getTime() / 1_000 + stepSeconds);
    const { data } = await requestMetrics(server, {
      ...prometheusWords,
      path: '/api/v1/query_range',
      parameters: { query, start, end: String(to.getTime() / 1_000), step: String(stepSeconds) },
      schema: RangeResponse,
    });
    return data.result.map(({ metric, values }) => ({
      labels: metric,
      points: values.map(([seconds, value]) => ({
        at: new Date(Math.round(seconds * 1_000)),
        value: toNumber(value),
      })),
    }));
  };

/** Lists the rules that Prometheus has loaded. */
export const listRules =
  (server: MetricsServer): Monitoring['listRules'] =>
  async () => {
    const { data } = await requestMetrics(server, { ...prometheusWords, path: '/api/v1/rules', schema: RulesResponse });
    return data.groups.map(({ interval, ...group }) => ({ ...group, intervalSeconds: interval }));
  };
