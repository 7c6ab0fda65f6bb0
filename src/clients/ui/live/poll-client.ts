import { focusManager, type QueryClient } from '@tanstack/react-query';
import { isLive } from './is-live.ts';
import { isPaused, setLive } from './live-state.ts';

export const pollMs = 10_000;

/** Replaces the client of the event stream when its file cannot be loaded: what pages show is read at intervals. */
export class PollClient {
  #timer: ReturnType<typeof setInterval> | undefined;

  follow(_: unknown, queryClient: QueryClient): () => void {
    if (this.#timer === undefined) setLive({ state: 'polling', since: new Date().toISOString() });
    this.#timer ??= setInterval(() => poll(queryClient), pollMs);
    return () => undefined;
  }

  togglePause(): void {
    const state = isPaused() ? 'polling' : 'paused';
    setLive({ state, since: new Date().toISOString() });
    focusManager.setFocused(state === 'paused' ? false : undefined);
  }
}

function poll(queryClient: QueryClient): void {
  if (isPaused() || document.visibilityState === 'hidden') return;
  void queryClient.invalidateQueries({ predicate: isLive }, { cancelRefetch: false });
}
