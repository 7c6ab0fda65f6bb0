import type { QueryClient } from '@tanstack/react-query';
import { request } from './request.ts';

export async function signIn(
  queryClient: QueryClient,
  credentials: { email: string; password: string },
): Promise<void> {
  await request('post', '/v1/auth/sign-in', { params: {}, body: credentials });
  queryClient.clear();
}

/** Nothing that the person has read stays in the browser. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  await request('post', '/v1/auth/sign-out', { params: {} });
  queryClient.clear();
}
