import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveClient } from './live-client.ts';
import { live } from './live-state.ts';
import { PollClient } from './poll-client.ts';
import type { Topic } from './topic.ts';

let client: Promise<LiveClient | PollClient> | undefined;

/**
 * Loads the client of the event stream when the first page is shown, so that it does not delay that page. An update of
 * the service may have removed its file.
 */
async function getClient(): Promise<LiveClient | PollClient> {
  client ??= import('./live-client.ts').then(
    ({ LiveClient }) => new LiveClient(),
    () => new PollClient(),
  );
  return await client;
}

/** Keeps the cached data of the topics as new as the server's. */
export function useLive(...topics: Topic[]): void {
  const queryClient = useQueryClient();
  const key = JSON.stringify(topics);
  useEffect(() => {
    let isLeft = false;
    let stop: (() => void) | undefined;
    const follow = async (): Promise<void> => {
      const loaded = await getClient();
      if (!isLeft) stop = loaded.follow(JSON.parse(key) as Topic[], queryClient);
    };
    void follow();
    return () => {
      isLeft = true;
      stop?.();
    };
  }, [key, queryClient]);
}

export const useLiveStatus = () => useSyncExternalStore(live.subscribe, live.getStatus);
/** The name of the build that the server has now, once it is known. */
export const useServerBuild = () => useSyncExternalStore(live.subscribe, live.getBuild);
export const togglePause = (): void => void getClient().then((loaded) => loaded.togglePause());
/** Sets what to do when the session has ended. */
export const onSignedOut = (leave: () => void): void => void (live.onSignedOut = leave);
