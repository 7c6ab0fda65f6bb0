import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
import { request } from '../request.ts';

export type Incident = Schemas['Incident'];
export type Severity = Incident['spec']['severity'];
export type IncidentState = NonNullable<Incident['status']>['state'];

export type IncidentsFilter = {
  product?: string | undefined;
  /** `Unresolved` is either of the states before `Resolved`. */
  state?: IncidentState | 'Unresolved' | undefined;
  severity?: Severity | undefined;
  q?: string | undefined;
  /** The `continue` of the page before. */
  after?: string | undefined;
  limit?: number | undefined;
};

export const incidentsQuery = (org: string, filter: IncidentsFilter = {}) => {
  const { product, state, severity, q, after, limit = 50 } = filter;
  return queryOptions({
    queryKey: ['incidents', org, { product, state, severity, q, after, limit }],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/incidents', {
        params: { org },
        query: {
          limit,
          ...(product && { product }),
          ...(state && { state }),
          ...(severity && { severity }),
          ...(q && { q }),
          ...(after && { continue: after }),
        },
        signal,
      }),
  });
};

export const incidentQuery = (org: string, name: string) =>
  queryOptions({
    queryKey: ['incident', org, name],
    queryFn: async ({ signal }) =>
      await request('get', '/v1/orgs/{org}/incidents/{name}', { params: { org, name }, signal }),
  });
