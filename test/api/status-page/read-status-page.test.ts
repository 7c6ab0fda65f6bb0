import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { StatusPage } from '../../../src/rules/status-page/build-status-page.ts';
import type { Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';
import { startApi } from '../../support/start-api.ts';
import { seedShop } from './seed-status.ts';

const labels = { org: 'acme', product: 'shop', zone: 'shop-prod', slo: 'answered' };
const samples = [{ labels: { ...labels, __name__: 'service:slo_errors:ratio_7d' }, value: 0.02 }];

it.each<[state: string, source: string, Monitoring['queryInstant']]>([
  [
    'spent',
    'answers after a moment',
    async () => {
      await setImmediate();
      return samples;
    },
  ],
  ['unknown', 'fails', async () => await Promise.reject(new Error('The response is not JSON.'))],
  ['unknown', 'does not answer', async () => await new Promise(() => {})],
])('shows an SLO as %s when Prometheus %s', async (state, _source, queryInstant) => {
  const unused = async (): Promise<never> => await Promise.reject(new Error('must not be asked'));
  const monitoring = { queryInstant, queryRange: unused, listRules: unused, listAlerts: unused };
  const { request, store } = await startApi({ monitoring });
  await seedShop(store, { slos: [buildSlo()] });
  const page = (await (await request('/v1/status/acme/shop')).json()) as StatusPage;
  expect(page.zones).toMatchObject([{ name: 'shop-prod', objectives: [{ name: 'answered', state }] }]);
});
