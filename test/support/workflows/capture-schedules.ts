import { type ScheduleOptions, ScheduleNotFoundError } from '@temporalio/client';

type Options = Omit<ScheduleOptions, 'scheduleId'>;

/** Provides a client that keeps schedules in memory instead of calling a server. It computes no times. */
export function captureSchedules() {
  const schedules = new Map<string, Options>();
  const get = (scheduleId: string): Options => {
    const found = schedules.get(scheduleId);
    if (!found) throw new ScheduleNotFoundError('The schedule does not exist.', scheduleId);
    return found;
  };
  return {
    create: async ({ scheduleId, ...options }: ScheduleOptions) => void schedules.set(scheduleId, options),
    getHandle: (scheduleId: string) => ({
      describe: async () => ({ ...get(scheduleId), info: { nextActionTimes: [] } }),
      update: async (build: () => Options) => void schedules.set(scheduleId, { ...get(scheduleId), ...build() }),
      delete: async () => void schedules.delete(scheduleId),
    }),
  };
}
