import { queryOptions } from '@tanstack/react-query';
import { every } from '../../live/live-state.ts';
import { request } from '../request.ts';

export const slosQuery = (org: string, product: string) =>
  queryOptions({
    queryKey: ['slos', org, product],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/slos', { params: { org, product }, signal }),
    refetchInterval: every(30_000),
  });

/** Reads how many objectives each Product of an org meets. */
export const sloSummariesQuery = (org: string) =>
  queryOptions({
    queryKey: ['slo-summaries', org],
    queryFn: async ({ signal }) => await request('get', '/v1/orgs/{org}/slos', { params: { org }, signal }),
    refetchInterval: every(30_000),
  });

type SloRef = { org: string; product: string; slo: string; zone: string };

export const sloBudgetQuery = ({ org, product, slo, zone }: SloRef) =>
  queryOptions({
    queryKey: ['slo-budget', org, product, slo, zone],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/slos/{slo}/budget', {
        params: { org, product, slo },
        query: { zone },
        signal,
      }),
    refetchInterval: every(5 * 60_000),
  });
