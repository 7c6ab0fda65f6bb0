import type { AuditEntry, AuditResult } from './entry.ts';

export type AuditQuery = {
  by?: string | undefined;
  operation?: string | undefined;
  result?: AuditResult | undefined;
  kind?: string | undefined;
  name?: string | undefined;
};

/** Returns whether an entry meets all conditions. A kind and a name are those of one resource. */
export function matchesAuditQuery(entry: AuditEntry, { by, operation, result, kind, name }: AuditQuery): boolean {
  return (
    (by === undefined || entry.by?.toLowerCase() === by.toLowerCase() || entry.user === by) &&
    (operation === undefined || entry.operation === operation) &&
    (result === undefined || entry.result === result) &&
    ((kind === undefined && name === undefined) || concerns(entry, kind, name))
  );
}

function concerns({ changes, parameters }: AuditEntry, kind: string | undefined, name: string | undefined): boolean {
  const isWritten = changes.some(
    (change) => (kind === undefined || change.kind === kind) && (name === undefined || change.name === name),
  );
  // A decision writes no resource; the path of its operation names what it is about.
  const isNamed = parameters.some((parameter) => parameter.name.startsWith('path.') && parameter.value === name);
  return isWritten || (kind === undefined && isNamed);
}
