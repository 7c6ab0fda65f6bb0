import type { ProductSpec } from '../../src/rules/catalog/kinds.ts';

/** The zones of a Product that names none. */
export const usualDelivery = (product: string): ProductSpec['delivery'] => ({
  zones: [
    { name: `${product}-rc`, arrival: 'automatic' },
    { name: `${product}-prod`, arrival: 'after-approval' },
  ],
});
