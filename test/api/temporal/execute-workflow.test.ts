import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { expect, it } from 'vitest';
import { executeWorkflow } from '../../../api/temporal/execute-workflow.ts';
import { createIssueStart } from '../../../workflows/products/messages.ts';

const start = createIssueStart({
  org: 'acme',
  product: 'shop',
  repo: 'acme/shop',
  requestId: 'one',
  payloadKey: 'key',
});

const createClient = (startWorkflow: () => Promise<void>): Client =>
  ({
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { start: startWorkflow, getHandle: () => ({ result: async () => ({ number: 7 }) }) },
  }) as unknown as Client;

it('returns the result of the workflow', async () => {
  expect(await executeWorkflow({ temporal: createClient(async () => {}) }, start)).toEqual({ number: 7 });
});

it('returns the result of a workflow that an earlier attempt completed', async () => {
  const temporal = createClient(async () => {
    throw new WorkflowExecutionAlreadyStartedError('Already started.', 'create-issue/acme/one', 'createIssue');
  });
  expect(await executeWorkflow({ temporal }, start)).toEqual({ number: 7 });
});

it('fails when the workflow cannot be started', async () => {
  const temporal = createClient(async () => {
    throw new Error('The namespace is full.');
  });
  await expect(executeWorkflow({ temporal }, start)).rejects.toThrow('The namespace is full.');
});
