import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { every } from '../../live/live-state.ts';
import { request } from '../request.ts';
import type { ZoneRef } from './zones.ts';

export const zoneMetricsQuery = ({ org, product, zone }: ZoneRef, hours: number) =>
  queryOptions({
    queryKey: ['zone-metrics', org, product, zone, hours],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/zones/{zone}/metrics', {
        params: { org, product, zone },
        query: { hours },
        signal,
      }),
    refetchInterval: every(60_000),
    placeholderData: keepPreviousData,
  });

export type LogFilter = {
  tail: number;
  pod?: string | undefined;
  container?: string | undefined;
  contains?: string | undefined;
  previous?: boolean | undefined;
};
export const zoneLogsQuery = ({ org, product, zone }: ZoneRef, filter: LogFilter) =>
  queryOptions({
    queryKey: ['zone-logs', org, product, zone, filter],
    queryFn: async ({ signal }) => {
      const { tail, pod, container, contains, previous } = filter;
      return await request('get', '/v1/orgs/{org}/products/{product}/zones/{zone}/logs', {
        params: { org, product, zone },
        query: {
          tail,
          ...(pod && { pod }),
          ...(container && { container }),
          ...(contains && { contains }),
          ...(previous && { previous: 'true' as const }),
        },
        signal,
      });
    },
    refetchInterval: every(10_000),
    placeholderData: keepPreviousData,
  });
