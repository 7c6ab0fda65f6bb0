import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { captureSchedules } from './capture-schedules.ts';

export type CapturedUpdate = { workflowId: string; update: string; args: unknown[] };
type CapturedSignal = { workflowId: string; signal: string; args: unknown[] };

type Update = { name: string };
type WithStart = { args: unknown[]; startWorkflowOperation: { options: { workflowId: string } } };

type SignalWithStart = { signal: { name: string }; signalArgs: unknown[]; workflowId: string };

/** Provides a client that records each update, each signal and their workflows instead of calling a server. Starts have no effect. */
export function captureUpdates() {
  const updates: CapturedUpdate[] = [];
  const signals: CapturedSignal[] = [];
  const workflow = {
    signalWithStart: async (_type: unknown, { signal, signalArgs: args, workflowId }: SignalWithStart) =>
      void signals.push({ workflowId, signal: signal.name, args }),
    start: async () => {},
    count: async () => ({ count: 0 }),
    getHandle: (workflowId: string) => ({
      describe: async () => await Promise.reject(new WorkflowNotFoundError('Nothing runs.', workflowId, undefined)),
      executeUpdate: async ({ name }: Update, { args }: { args: unknown[] }) =>
        void updates.push({ workflowId, update: name, args }),
      // A workflow that creates an issue returns its number; the API reads nothing of the others.
      result: async () => ({ number: 1 }),
    }),
    executeUpdateWithStart: async ({ name }: Update, { args, startWorkflowOperation }: WithStart) =>
      void updates.push({ workflowId: startWorkflowOperation.options.workflowId, update: name, args }),
  };
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  return { temporal: { workflow, schedule: captureSchedules(), withDeadline } as unknown as Client, updates, signals };
}
