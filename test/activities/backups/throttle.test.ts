import { expect, it, vi } from 'vitest';
import { createThrottle } from '../../../activities/backups/throttle.ts';

it('reports at most once a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    let reports = 0;
    const report = createThrottle(async () => void (reports += 1));
    for (let call = 0; call < 25; call += 1) {
      await report();
      vi.advanceTimersByTime(100);
    }
    expect(reports).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

it('waits for the report, and fails with it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const report = createThrottle(async () => await Promise.reject(new Error('store is away')));
    vi.advanceTimersByTime(1_000);
    await expect(report()).rejects.toThrow('store is away');
  } finally {
    vi.useRealTimers();
  }
});
