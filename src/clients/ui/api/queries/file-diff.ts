import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
import { request } from '../request.ts';

type RunDiff = Schemas['RunDiff'];

const firstLines = 400;
const moreLines = 2_000;

/** The size of a Change, without its files. */
export const diffSizeQuery = (org: string, run: string, head: string | undefined) =>
  queryOptions({
    queryKey: ['diff-size', org, run, head],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/diff', {
        params: { org, run },
        query: { limit: 1 },
        signal,
      }),
    staleTime: Infinity,
    meta: { live: (data?: RunDiff) => head === undefined || data?.head !== head },
  });

/** The hunks of one file. Its first lines are few, so that a large diff is on the screen early. */
export const fileDiffQuery = (org: string, run: string, head: string, path: string) =>
  infiniteQueryOptions({
    queryKey: ['file-diff', org, run, head, path],
    queryFn: async ({ pageParam, signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/diff', {
        params: { org, run },
        query: pageParam === '' ? { path, limit: firstLines } : { path, limit: moreLines, continue: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue,
    staleTime: Infinity,
    // The lines of one commit stay the same, and a page may show hundreds of files.
    meta: {
      keepsGone: true,
      live: (data?: InfiniteData<RunDiff>) => data?.pages.some((page) => page.head !== head) !== false,
    },
  });
