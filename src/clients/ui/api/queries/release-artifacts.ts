import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

export const releaseArtifactsQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['release-artifacts', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/releases/{name}/artifacts', { params: { org, name }, signal }),
  });
