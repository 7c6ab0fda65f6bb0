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

export type ChangesFilter = { product?: string | undefined; phase?: Phase | undefined; q?: string | undefined };

export const changesQuery = (org: string, { product, phase, q }: ChangesFilter = {}) =>
  queryOptions({
    queryKey: ['changes', org, { product, phase, q }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns', {
        params: { org },
        query: { limit: 50, ...(product && { product }), ...(phase && { phase }), ...(q && { q }) },
        signal,
      }),
  });

export const changeQuery = (org: string, run: string) =>
  queryOptions({
    queryKey: ['change', org, run],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflowruns/{run}', { params: { org, run }, signal }),
  });
