import type { Product } from './kinds.ts';

/** Identifies the requests that added zones of a Product, and the zones: `<request>/<zone>`, separated by spaces. */
const zoneRequestsAnnotation = 'service.delivery/zone-requests';

/** Returns the request that added each of the zones of a Product; those that it was created with are left out. */
export function readZoneRequests({ metadata, spec }: Pick<Product, 'metadata' | 'spec'>): Map<string, string> {
  const entries = (metadata.annotations?.[zoneRequestsAnnotation] ?? '').split(' ').map((entry) => entry.split('/'));
  const requests = new Map(entries.map(([request = '', zone = '']) => [zone, request]));
  const zones = spec.delivery.zones.map(({ name }) => name);
  return new Map(zones.flatMap((zone) => (requests.has(zone) ? [[zone, requests.get(zone) ?? ''] as const] : [])));
}

/** Returns the annotations of a Product to which a request adds a zone. */
export function withZoneRequest(product: Product, added: { request: string; zone: string }): Record<string, string> {
  const requests = readZoneRequests(product).set(added.zone, added.request);
  const text = [...requests].map(([zone, request]) => `${request}/${zone}`).join(' ');
  return { ...product.metadata.annotations, [zoneRequestsAnnotation]: text };
}
