import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../generated/openapi.ts';
import { request } from '../request.ts';

export type AuditEntry = Schemas['AuditEntry'];
export type AuditFilter = {
  by?: string;
  operation?: string;
  name?: string;
  result?: AuditEntry['result'];
  since?: string;
  until?: string;
  after?: string;
};

export const toQuery = ({ after, ...filter }: AuditFilter) => ({ ...filter, ...(after && { continue: after }) });

/** The changes of an org, or those of the installation. */
export const auditQuery = (org: string | undefined, filter: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', org ?? '', filter],
    queryFn: async ({ signal }) => {
      const query = toQuery(filter);
      return org === undefined
        ? await request('get', '/v1/audit', { params: {}, query, signal })
        : await request('get', '/v1/orgs/{org}/audit', { params: { org }, query, signal });
    },
    // Every action of a person adds an entry, and an old answer would not show it.
    staleTime: 0,
  });
