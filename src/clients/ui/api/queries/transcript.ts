import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

const turnsPerPage = 30;
type Page = { after: number; limit: number; continue?: string };

/** The turns of a step around the turn `start`, in both directions. The page reads on when the step has more turns. */
export const transcriptQuery = (org: string, run: string, step: string, start: number) =>
  infiniteQueryOptions({
    queryKey: ['transcript', org, run, step, start],
    queryFn: async ({ pageParam, signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/transcript', {
        params: { org, run, step },
        query: pageParam,
        signal,
      }),
    initialPageParam: { after: start, limit: turnsPerPage } as Page,
    getNextPageParam: (last, _pages, { after }): Page | undefined =>
      last.continue === undefined ? undefined : { after, limit: turnsPerPage, continue: last.continue },
    getPreviousPageParam: (_first, _pages, { after }): Page | undefined => {
      if (after === 0) return undefined;
      const limit = Math.min(turnsPerPage, after);
      return { after: after - limit, limit };
    },
    meta: { live: false },
  });

/** The rounds of all steps. */
export const roundsQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['rounds', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}/rounds', { params: { org, run }, signal }),
  });
