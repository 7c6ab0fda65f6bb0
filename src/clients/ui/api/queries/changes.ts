import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';
import type { Schemas } from '../generated/openapi.ts';

export type Phase = NonNullable<Schemas['AgentWorkflowRunSummary']['status']>['phase'];
export const phases = [
  'Pending',
  'Running',
  'WaitingForPerson',
  'NeedsGuidance',
  'Succeeded',
  'Failed',
  'Cancelled',
] satisfies Phase[];
/** `Active` is any phase before the end, and `Waiting` one that needs a person. */
export const phaseGroups = ['Active', 'Waiting'] as const;
export type PhaseFilter = Phase | (typeof phaseGroups)[number];

export type ChangesFilter = {
  product?: string | undefined;
  phase?: PhaseFilter | undefined;
  q?: string | undefined;
  startedBy?: string | undefined;
  /** The `continue` of the page before. */
  after?: string | undefined;
};

export const changesQuery = (org: string, { product, phase, q, startedBy, after }: ChangesFilter = {}) =>
  queryOptions({
    queryKey: ['changes', org, { product, phase, q, startedBy, after }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        query: {
          limit: 50,
          ...(product && { product }),
          ...(phase && { phase }),
          ...(q && { q }),
          ...(startedBy && { startedBy }),
          ...(after && { continue: after }),
        },
        signal,
      }),
  });

export const changeQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['change', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}', { params: { org, run }, signal }),
  });

/** The latest Change of each Product. */
export const latestChangesQuery = (org: string) =>
  queryOptions({
    queryKey: ['changes', org, 'latest'],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        query: { latestPer: 'product', limit: 500 },
        signal,
      }),
  });
