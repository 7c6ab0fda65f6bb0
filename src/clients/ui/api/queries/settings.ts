import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => await request('get', '/v1/status', { params: {}, signal }),
});

export const licenseQuery = queryOptions({
  queryKey: ['license'],
  queryFn: async ({ signal }) => await request('get', '/v1/license', { params: {}, signal }),
});

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) =>
    await readAll(async (query) => await request('get', '/v1/me/tokens', { params: {}, query, signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => await request('get', '/v1/me/sessions', { params: {}, signal }),
});

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }) =>
    await request('get', '/v1/access/users', { params: {}, query: { limit: 200 }, signal }),
});

export const accessGroupsQuery = (org: string) =>
  queryOptions({
    queryKey: ['access-groups', org],
    queryFn: async ({ signal }) => await request('get', '/v1/orgs/{org}/access-groups', { params: { org }, signal }),
  });

export const codehostQuery = (org: string) =>
  queryOptions({
    queryKey: ['codehost', org],
    queryFn: async ({ signal }) => await request('get', '/v1/orgs/{org}/codehost', { params: { org }, signal }),
  });

/** The connection as the code host itself sees it. */
export const codehostCheckQuery = (org: string) =>
  queryOptions({
    queryKey: ['codehost-check', org],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/codehost', { params: { org }, query: { check: 'true' }, signal }),
  });

export const explanationQuery = (org: string, about: string) =>
  queryOptions({
    queryKey: ['explanation', org, about],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/explain', { params: { org }, query: { about }, signal }),
  });
