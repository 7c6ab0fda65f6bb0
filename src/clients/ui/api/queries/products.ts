import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

export const productsQuery = (org: string) =>
  queryOptions({
    queryKey: ['products', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/products', { params: { org }, query, signal }),
      ),
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

export const orgQuery = (org: string) =>
  queryOptions({
    queryKey: ['org', org],
    queryFn: async ({ signal }) => await request('get', '/v1/orgs/{org}', { params: { org }, signal }),
    staleTime: 60_000,
  });

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => await request('get', '/v1/templates', { params: {}, signal }),
  staleTime: 60_000,
});
