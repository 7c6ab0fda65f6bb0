import { expect, it } from 'vitest';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace-labels.ts';

it('names the org and the Product of a namespace', () => {
  expect(zoneNamespaceLabels({ org: 'acme', product: 'shop' })).toEqual({
    'service.delivery/org': 'acme',
    'service.delivery/product': 'shop',
  });
});
