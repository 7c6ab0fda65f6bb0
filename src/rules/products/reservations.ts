/** Names the object in the installation's namespace that reserves a Product's name for one org. */
export const productReservationName = (product: string): string => `product-${product}`;
/** Names the object that reserves a zone's name, which is also a namespace and an address. */
export const zoneReservationName = (zone: string): string => `zone-${zone}`;
