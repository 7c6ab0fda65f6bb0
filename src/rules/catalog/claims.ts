/** The object in the installation's namespace that holds a Product's name for one org. */
export const productClaim = (product: string): string => `product-${product}`;
/** The same for a zone's name, which is a namespace and an address. */
export const zoneClaim = (zone: string): string => `zone-${zone}`;
