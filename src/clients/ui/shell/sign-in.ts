import type { QueryClient } from '@tanstack/react-query';
import { ApiProblem, request } from '../api/request.ts';
import { clearCache } from './cache-owner.ts';
import { forgetPages } from './recent.ts';

/** Keys of `localStorage` that begin so name the files that the person has viewed. */
export const viewedPrefix = 'viewed ';

/** Shows nothing that another person has read in this tab. */
export async function signIn(
  queryClient: QueryClient,
  credentials: { email: string; password: string },
): Promise<void> {
  await request('post', '/v1/auth/sign-in', { params: {}, body: credentials });
  clearCache(queryClient);
  forgetPages();
}

/** Nothing that the person has read stays in the browser. */
export async function signOut(queryClient: QueryClient): Promise<void> {
  await request('post', '/v1/auth/sign-out', { params: {} }).catch((error: unknown) => {
    // The session has ended already.
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
  });
  clearCache(queryClient);
  forgetPages();
  for (const key of Object.keys(localStorage)) if (key.startsWith(viewedPrefix)) localStorage.removeItem(key);
}
