import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, onTestFinished, vi } from 'vitest';
import { invalidateSoon } from '../../../../src/clients/ui/live/invalidate-soon.ts';
import { setLive } from '../../../../src/clients/ui/live/live-state.ts';

it('reads at once, and then once a second however often something changes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const queryClient = new QueryClient();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries');
  for (let count = 0; count < 20; count += 1) invalidateSoon(queryClient, 'one', () => true);
  invalidateSoon(queryClient, 'other', () => true);
  expect(invalidate).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(invalidate).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(invalidate).toHaveBeenCalledTimes(3);
});

it('reads nothing while the server is away', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    setLive({ state: 'connecting', since: '' });
  });
  const queryClient = new QueryClient();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries');
  invalidateSoon(queryClient, 'one', () => true);
  invalidateSoon(queryClient, 'one', () => true);
  setLive({ state: 'reconnecting', since: '' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(invalidate).toHaveBeenCalledOnce();
});

it('leaves out a query that is not to be read at every change', () => {
  const queryClient = new QueryClient();
  queryClient
    .getQueryCache()
    .build(queryClient, { queryKey: ['diff'], meta: { live: false } })
    .setData('text');
  invalidateSoon(queryClient, 'one', () => true);
  expect(queryClient.getQueryState(['diff'])?.isInvalidated).toBe(false);
});

it('reads again what was being read when something changed in the pause, because the response may be older', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const queryClient = new QueryClient();
  const responses = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const reads: string[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey: ['product'],
    queryFn: async () => await (responses[reads.push('read') - 1]?.promise ?? 'newest'),
  });
  onTestFinished(observer.subscribe(() => {}));
  responses[0]?.resolve('first');
  await vi.advanceTimersByTimeAsync(0);
  invalidateSoon(queryClient, 'one', () => false);
  void queryClient.invalidateQueries({ queryKey: ['product'] });
  invalidateSoon(queryClient, 'one', ({ state }) => state.fetchStatus === 'fetching');
  queryClient.setQueryData(['product'], 'changed');
  responses[1]?.resolve('older');
  await vi.advanceTimersByTimeAsync(0);
  expect(queryClient.getQueryData(['product'])).toBe('older');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(queryClient.getQueryData(['product'])).toBe('newest');
  expect(reads).toHaveLength(3);
});
