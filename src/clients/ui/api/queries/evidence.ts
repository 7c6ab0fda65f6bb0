import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readRange } from '../read-range.ts';
import { request } from '../request.ts';

const bytesPerPart = 128 * 1024;

export const evidenceQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['evidence', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/artifacts', { params: { org, run }, signal }),
  });

/** The bytes of a file by parts. A file never changes. */
export const evidenceTextQuery = (url: string) =>
  infiniteQueryOptions({
    queryKey: ['file', url],
    queryFn: async ({ pageParam, signal }) => await readRange(url, { from: pageParam, length: bytesPerPart, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
  });
