import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

/** A key is the kind of the data, the org and the name, so that live updates find what they concern. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async ({ signal }) => await request('get', '/v1/setup', { params: {}, signal }),
});

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => await request('get', '/v1/me', { params: {}, signal }),
  staleTime: 60_000,
});

export const productsQuery = (org: string) =>
  queryOptions({
    queryKey: ['products', org],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products', { params: { org }, query: { limit: 200 }, signal }),
  });

export const productQuery = (org: string, product: string) =>
  queryOptions({
    queryKey: ['product', org, product],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}', { params: { org, product }, signal }),
  });

export const zonesQuery = (org: string, product: string) =>
  queryOptions({
    queryKey: ['zones', org, product],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/products/{product}/zones', { params: { org, product }, signal }),
  });

export type ChangesFilter = { product?: string | undefined; phase?: Phase | undefined; q?: string | undefined };
export const phases = [
  'Pending',
  'Running',
  'WaitingForPerson',
  'NeedsGuidance',
  'Succeeded',
  'Failed',
  'Cancelled',
] as const;
export type Phase = (typeof phases)[number];

export const changesQuery = (org: string, { product, phase, q }: ChangesFilter = {}) =>
  queryOptions({
    queryKey: ['changes', org, { product, phase, q }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        query: { limit: 50, ...(product && { product }), ...(phase && { phase }), ...(q && { q }) },
        signal,
      }),
  });

export const changeQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['change', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}', { params: { org, run }, signal }),
  });

export const evidenceQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['evidence', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/artifacts', { params: { org, run }, signal }),
  });

export const releasesQuery = (org: string, product?: string) =>
  queryOptions({
    queryKey: ['releases', org, { product }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases', {
        params: { org },
        query: { limit: 50, ...(product && { product }) },
        signal,
      }),
  });

export const releaseQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['release', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases/{name}', { params: { org, name }, signal }),
  });

export const waitingQuery = queryOptions({
  queryKey: ['waiting'],
  queryFn: async ({ signal }) => await request('get', '/v1/me/waiting', { params: {}, query: { limit: 100 }, signal }),
  // Until one stream tells what waits in all orgs.
  refetchInterval: 10_000,
});
