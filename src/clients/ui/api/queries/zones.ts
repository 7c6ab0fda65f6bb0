import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

export type ZoneRef = { org: string; product: string; zone: string };

export const zoneQuery = ({ org, product, zone }: ZoneRef) =>
  queryOptions({
    queryKey: ['zone-details', org, product, zone],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/zones/{zone}', {
        params: { org, product, zone },
        signal,
      }),
    meta: { keepsGone: true },
  });
