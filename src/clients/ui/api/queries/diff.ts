import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
import { request } from '../request.ts';

type RunDiff = Schemas['RunDiff'];

const filesPerPage = 300;
/** The page shows what its route has read by this time. */
const openedMsMax = 5_000;

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
    // The diff of a pull request changes only when a person opens the page or loads the new one, of which the page says
    // when there is one. No run names the new commits of a branch.
    staleTime: Infinity,
    refetchOnMount: ({ state }) => Date.now() - state.dataUpdatedAt > openedMsMax && 'always',
    meta: {
      keepsGone: true,
      live: (data?: InfiniteData<RunDiff>) => ['branch', undefined].includes(data?.pages[0]?.source),
    },
  });
