import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../api/queries/me.ts';
import { loadAgain } from './typed-text.ts';

/** The person whose data the query cache holds. */
let owner: string | undefined;

/** Tells the other tabs whose session the browser has: they share its cookie. */
const channel = new BroadcastChannel('session');

/** Loads the tab again when its session has become that of another person, who must not see what it shows. */
export function watchCacheOwner(queryClient: QueryClient): void {
  const check = (email: string): void => {
    if (owner !== undefined && owner !== email) loadAgain();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<string>) => check(data));
  queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] !== meQuery.queryKey[0]) return;
    const email = (query.state.data as { email: string } | undefined)?.email;
    if (email === undefined || email === owner) return;
    check(email);
    owner = email;
    channel.postMessage(email);
  });
}

export function clearCache(queryClient: QueryClient): void {
  queryClient.clear();
  owner = undefined;
}
