import { expect, it } from 'vitest';
import { formatSelector, toRatioName, toSloLabels } from '../../../src/rules/slos/slo-labels.ts';

it('selects the recorded series of an SLO in a zone', () => {
  const labels = toSloLabels({ org: 'acme', product: 'shop', zone: 'shop-prod' }, 'fast');
  expect(`${toRatioName('1h')}${formatSelector(labels)}`).toBe(
    'service:slo_errors:ratio_1h{org="acme", product="shop", zone="shop-prod", slo="fast"}',
  );
});
