import { type Product, ProductKind } from '../../../src/rules/products/kinds.ts';
import type { SloSpec } from '../../../src/rules/slos/kinds.ts';

/** Builds a Product whose zones run a Release. */
export const buildSloProduct = (slos: SloSpec[], name = 'shop'): Product => ({
  apiVersion: ProductKind.apiVersion,
  kind: 'Product',
  metadata: {
    name,
    namespace: 'org-acme',
    uid: name,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { repos: [`acme/${name}`], delivery: { zones: [{ name: `${name}-rc` }, { name: `${name}-prod` }] }, slos },
  status: { zones: [{ name: `${name}-prod`, release: `${name}-v1.0.0` }] },
});
