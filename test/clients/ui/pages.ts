/** Each page by its path, with its heading. */
export const pages: [path: string, heading: string][] = [
  ['/', '3 things wait for you'],
  ['/acme', 'Products'],
  ['/acme/changes', 'Changes'],
  ['/acme/changes/change-shop-418', 'Hold the fare for ten minutes while a passenger pays'],
  ['/acme/changes/change-shop-420', 'Large-type mode for the quay displays'],
  ['/acme/products/shop', 'Shop'],
  ['/acme/releases/shop-v1.1.0', 'shop v1.1.0'],
  ['/acme/changes/none', 'This does not exist'],
];
