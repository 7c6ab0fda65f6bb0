import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
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

/** A person who may reject but not approve their own work waits for another person, as the service does. */
export const waitsForViewer = ({ actions }: Pick<Schemas['WaitingItem'], 'actions'>): boolean =>
  actions.some(({ allowed }) => allowed) && actions.every(({ reason }) => reason !== 'self-approval');

/** Finds anything in all orgs of the person; the palette asks while the query is typed. */
export const findQuery = (q: string) =>
  queryOptions({
    queryKey: ['find', q],
    queryFn: async ({ signal }) => await request('get', '/v1/find', { params: {}, query: { q, limit: 12 }, signal }),
  });
