import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** Why something did or did not happen, such as `domain:example.com`. */
export const explainQuery = (org: string, about: string) =>
  queryOptions({
    queryKey: ['explain', org, about],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/explain', { params: { org }, query: { about }, signal }),
  });
