import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveClient } from './live-client.ts';
import { live, setLive } from './live-state.ts';
import type { Topic } from './topic.ts';

let client: Promise<LiveClient> | undefined;

/** Loads the client of the event stream when the first page is shown, so that it does not delay that page. */
async function getClient(): Promise<LiveClient> {
  client ??= import('./live-client.ts').then(({ LiveClient }) => new LiveClient());
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
    // Without the file, which an update of the service has removed, the page still works.
    follow().catch(() => setLive({ state: 'polling', since: new Date().toISOString() }));
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
