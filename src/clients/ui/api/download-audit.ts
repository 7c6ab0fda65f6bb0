import { toQuery, type AuditFilter } from './queries/audit.ts';
import { requestFile } from './request.ts';

/** Reads all entries that meet the conditions, as JSON lines. */
export async function downloadAudit(org: string | undefined, filter: AuditFilter): Promise<Blob> {
  const path = org === undefined ? '/v1/audit' : '/v1/orgs/{org}/audit';
  return await requestFile(path, { params: { org: org ?? '' }, query: toQuery(filter), type: 'application/x-ndjson' });
}
