import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async ({ signal }) => await request('get', '/v1/setup', { params: {}, signal }),
});

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => await request('get', '/v1/me', { params: {}, signal }),
  staleTime: 60_000,
});

export const waitingQuery = queryOptions({
  queryKey: ['waiting'],
  queryFn: async ({ signal }) => await request('get', '/v1/me/waiting', { params: {}, query: { limit: 500 }, signal }),
});

/** Finds anything in all orgs of the person; the palette asks while the query is typed. */
export const findQuery = (q: string) =>
  queryOptions({
    queryKey: ['find', q],
    queryFn: async ({ signal }) => await request('get', '/v1/find', { params: {}, query: { q, limit: 12 }, signal }),
  });
