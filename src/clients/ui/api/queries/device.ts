import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** The tool that shows the code. It is no longer found once a person has decided. */
export const deviceQuery = (code: string) =>
  queryOptions({
    queryKey: ['device', code],
    queryFn: async ({ signal }) => await request('get', '/v1/me/device-sign-ins/{code}', { params: { code }, signal }),
    staleTime: Infinity,
    retry: false,
  });
