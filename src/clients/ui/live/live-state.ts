import { isGone } from '../api/forget-gone.ts';

export type LiveStatus = {
  state: 'connecting' | 'live' | 'polling' | 'reconnecting' | 'paused';
  since: string;
};

const listeners = new Set<() => void>();
let status: LiveStatus = { state: 'connecting', since: new Date().toISOString() };
let build: string | undefined;

/** Tells how new the pages of this tab are, and which build the server has. */
export const live = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  getStatus: (): LiveStatus => status,
  getBuild: (): string | undefined => build,
  onSignedOut: (): void => undefined,
};

export const isPaused = (): boolean => status.state === 'paused';
/** Reports whether the server does not respond; what pages show is read again when it does. */
export const isAway = (): boolean => status.state === 'reconnecting';
type Polled = { meta: Record<string, unknown> | undefined; state: { error: Error | null } };

/** The interval at which a query is read again, unless the server is unavailable or the page keeps data that is gone. */
export const every =
  (ms: number) =>
  (query?: Polled): number | false =>
    isAway() || (query?.meta?.['keepsGone'] === true && isGone(query.state.error)) ? false : ms;

export function setLive(next: LiveStatus): void {
  status = next;
  for (const listener of listeners) listener();
}

export function setServerBuild(next: string): void {
  build = next;
  for (const listener of listeners) listener();
}
