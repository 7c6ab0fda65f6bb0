import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

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
