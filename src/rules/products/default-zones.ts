import type { ProductSpec } from './kinds.ts';

/** The zones of a Product that is created without any. */
export const defaultZones = (product: string): ProductSpec['delivery'] => ({
  zones: [
    { name: `${product}-rc`, promotionPolicy: 'automatic' },
    { name: `${product}-prod`, promotionPolicy: 'after-approval' },
  ],
});
