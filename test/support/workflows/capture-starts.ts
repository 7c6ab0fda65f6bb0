import type { Client } from '@temporalio/client';

export type CapturedStart = { type: unknown; options: unknown };

type UpdateWithStart = { startWorkflowOperation: { workflowTypeOrFunc: unknown; options: unknown } };

/** Provides a client that records the type and options of each start instead of calling a server. */
export function captureStarts(result?: unknown): { temporal: Client; starts: CapturedStart[] } {
  const starts: CapturedStart[] = [];
  const record = async (type: unknown, options: unknown): Promise<void> => void starts.push({ type, options });
  const workflow = {
    start: record,
    signalWithStart: async (
      type: unknown,
      { signal: _signal, signalArgs: _args, ...options }: Record<string, unknown>,
    ) => await record(type, options),
    executeUpdateWithStart: async (_update: unknown, { startWorkflowOperation: operation }: UpdateWithStart) => {
      await record(operation.workflowTypeOrFunc, operation.options);
      return result;
    },
    getHandle: () => ({ result: async () => result }),
  };
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  return { temporal: { workflow, withDeadline } as unknown as Client, starts };
}
