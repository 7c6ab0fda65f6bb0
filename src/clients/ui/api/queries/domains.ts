import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

export const domainsQuery = (org: string) =>
  queryOptions({
    queryKey: ['domains', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/domains', { params: { org }, query, signal }),
      ),
  });

export const domainQuery = (org: string, domain: string) =>
  queryOptions({
    queryKey: ['domain', org, domain],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/domains/{domain}', { params: { org, domain }, signal }),
    meta: { keepsGone: true },
  });

/** Whether a host is free; the reason names the Product that has it. */
export const availabilityQuery = (org: string, host: string) =>
  queryOptions({
    queryKey: ['availability', org, host],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/addresses/available', { params: { org }, query: { host }, signal }),
  });
