import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';

const recorded: [slo: string, zone: string, ratios: Record<string, number>][] = [
  ['payments-answered', 'shop-prod', { '5m': 0.0002, '30m': 0.0002, '1h': 0.0002, '6h': 0.0003, '7d': 0.00029 }],
  ['payments-answered', 'shop-rc', { '5m': 0.007, '30m': 0.0071, '1h': 0.0071, '6h': 0.0064, '7d': 0.00052 }],
  ['payments-fast', 'shop-prod', { '5m': 0.005, '30m': 0.005, '1h': 0.005, '6h': 0.005, '7d': 0.006 }],
];

/** Answers the questions of the pages with the recorded values of two SLOs. */
export const sloMonitoring: Monitoring = {
  queryInstant: async () =>
    recorded.flatMap(([slo, zone, ratios]) =>
      Object.entries(ratios).map(([range, value]) => ({
        labels: { __name__: `service:slo_errors:ratio_${range}`, org: 'acme', product: 'shop', slo, zone },
        value,
      })),
    ),
  queryRange: async (_query, { to }) => {
    const points = Array.from({ length: 50 }, (_, index) => ({
      at: new Date(to.getTime() - (50 - index) * 3_600_000),
      value: index / 200_000,
    }));
    return [{ labels: {}, points }];
  },
  listRules: async () => [],
  listAlerts: async () => [],
};
