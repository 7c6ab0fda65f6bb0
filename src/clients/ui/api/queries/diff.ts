import { infiniteQueryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

const filesPerPage = 300;

export const diffQuery = (org: string, run: string) =>
  infiniteQueryOptions({
    queryKey: ['diff', org, run],
    queryFn: async ({ pageParam, signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/diff', {
        params: { org, run },
        query: { limit: filesPerPage, ...(pageParam !== '' && { continue: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue,
    // A diff changes only when a person loads the new one; the page says when there is one.
    staleTime: Infinity,
  });
