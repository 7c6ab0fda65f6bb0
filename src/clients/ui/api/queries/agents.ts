import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

export const agentWorkflowsQuery = (org: string) =>
  queryOptions({
    queryKey: ['agent-workflows', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/agentworkflows', { params: { org }, query, signal }),
      ),
  });

export const agentWorkflowQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['agent-workflow', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflows/{name}', { params: { org, name }, signal }),
  });

export const agentRolesQuery = (org: string) =>
  queryOptions({
    queryKey: ['agent-roles', org],
    queryFn: async ({ signal }) =>
      await readAll(
        async (query) => await request('get', '/v1/orgs/{org}/agentroles', { params: { org }, query, signal }),
      ),
  });

export const agentRoleQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['agent-role', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentroles/{name}', { params: { org, name }, signal }),
  });

export const modelProviderQuery = (org: string) =>
  queryOptions({
    queryKey: ['model-provider', org],
    queryFn: async ({ signal }) => await request('get', '/v1/orgs/{org}/model-provider', { params: { org }, signal }),
  });

export const modelsQuery = (org: string) =>
  queryOptions({
    queryKey: ['models', org],
    queryFn: async ({ signal }) =>
      await readAll(async (query) => await request('get', '/v1/orgs/{org}/models', { params: { org }, query, signal })),
    retry: false,
  });

export const costGroups = ['product', 'agentRole', 'model', 'agentWorkflow', 'day'] as const;
export type CostGroup = (typeof costGroups)[number];

export const costsQuery = (org: string, { groupBy, days }: { groupBy: CostGroup; days: number }) =>
  queryOptions({
    queryKey: ['costs', org, { groupBy, days }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agent-costs', { params: { org }, query: { groupBy, days }, signal }),
  });

export const deliveriesQuery = (org: string, agentWorkflow: string) =>
  queryOptions({
    queryKey: ['deliveries', org, agentWorkflow],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/agentworkflows/{name}/deliveries', {
        params: { org, name: agentWorkflow },
        query: { limit: 50 },
        signal,
      }),
  });
