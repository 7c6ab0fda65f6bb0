import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { LiveClient, type LiveStatus } from './live-client.ts';
import type { Topic } from './topic.ts';

const client = new LiveClient();

/** Keeps the cached data of the topics as new as the server's. */
export function useLive(...topics: Topic[]): void {
  const queryClient = useQueryClient();
  const key = JSON.stringify(topics);
  useEffect(() => client.follow(JSON.parse(key) as Topic[], queryClient), [key, queryClient]);
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(client.subscribe, client.getStatus);
/** The name of the build that the server has now, once it is known. */
export const useServerBuild = (): string | undefined => useSyncExternalStore(client.subscribe, client.getBuild);
export const togglePause = (): void => client.togglePause();
/** Sets what to do when the session has ended. */
export const onSignedOut = (leave: () => void): void => void (client.onSignedOut = leave);
