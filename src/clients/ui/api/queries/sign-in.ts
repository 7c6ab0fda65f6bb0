import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: async ({ signal }) => await request('get', '/v1/auth/methods', { params: {}, signal }),
});
