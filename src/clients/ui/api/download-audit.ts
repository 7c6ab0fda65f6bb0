import { toQuery, type AuditFilter } from './queries/audit.ts';
import { readText, toUrl } from './request.ts';

/** Reads all entries that meet the conditions, as JSON lines. */
export async function downloadAudit(org: string | undefined, filter: AuditFilter): Promise<Blob> {
  const path = org === undefined ? '/v1/audit' : '/v1/orgs/{org}/audit';
  const type = 'application/x-ndjson';
  const url = toUrl(path, org === undefined ? {} : { org }, toQuery(filter));
  return new Blob([await readText(url, { method: 'GET', headers: { Accept: type } })], { type });
}
