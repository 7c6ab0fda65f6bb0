import type { Client } from '@temporalio/client';

export type CapturedUpdate = { workflowId: string; update: string; args: unknown[] };

type Update = { name: string };
type WithStart = { args: unknown[]; startWorkflowOperation: { options: { workflowId: string } } };

/** Provides a client that records each update and its workflow instead of calling a server; signals have no effect. */
export function captureUpdates(): { temporal: Client; updates: CapturedUpdate[] } {
  const updates: CapturedUpdate[] = [];
  const workflow = {
    signalWithStart: async () => {},
    getHandle: (workflowId: string) => ({
      executeUpdate: async ({ name }: Update, { args }: { args: unknown[] }) =>
        void updates.push({ workflowId, update: name, args }),
    }),
    executeUpdateWithStart: async ({ name }: Update, { args, startWorkflowOperation }: WithStart) =>
      void updates.push({ workflowId: startWorkflowOperation.options.workflowId, update: name, args }),
  };
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  return { temporal: { workflow, withDeadline } as unknown as Client, updates };
}
