import { QueryClient } from '@tanstack/react-query';
import { expect, it, onTestFinished, vi } from 'vitest';
import { invalidateSoon } from '../../../../src/clients/ui/live/invalidate-soon.ts';

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

it('leaves out a query that is not to be read at every change', () => {
  const queryClient = new QueryClient();
  queryClient
    .getQueryCache()
    .build(queryClient, { queryKey: ['diff'], meta: { live: false } })
    .setData('text');
  invalidateSoon(queryClient, 'one', () => true);
  expect(queryClient.getQueryState(['diff'])?.isInvalidated).toBe(false);
});
