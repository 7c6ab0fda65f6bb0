import type { AuditEntry } from './entry.ts';

/** A person can cause thousands of entries between two sweeps, and a cluster keeps each as an object. */
export const entryBytesMax = 64 * 1024;

/**
 * Leaves out values of a large entry, so that it can be stored. All changes keep equally many fields, and their resources
 * to the last, because many harmless changes could otherwise hide one, such as a role that is granted among them.
 */
export function boundEntry(entry: AuditEntry): AuditEntry {
  if (isSmall(entry)) return entry;
  const withoutBody = leaveOutBody(entry);
  for (const fields of [20, 5, 2]) {
    const smaller = leaveOutFields(entry, fields);
    if (isSmall(smaller)) return smaller;
  }
  for (const fields of [100, 20, 5, 2, 1]) {
    const smaller = leaveOutFields(withoutBody, fields);
    if (isSmall(smaller)) return smaller;
  }
  return leaveOutChanges(leaveOutFields(withoutBody, 0));
}

function leaveOutBody(entry: AuditEntry): AuditEntry {
  const parameters = entry.parameters.filter(({ name }) => name.startsWith('path.'));
  const omittedParameters = entry.parameters.length - parameters.length + (entry.omittedParameters ?? 0);
  return { ...entry, parameters, ...(omittedParameters > 0 && { omittedParameters }) };
}

function leaveOutFields(entry: AuditEntry, kept: number): AuditEntry {
  const changes = entry.changes.map((change) => {
    const fields = change.fields.slice(0, kept);
    const omittedFields = change.fields.length - fields.length + (change.omittedFields ?? 0);
    return { ...change, fields, ...(omittedFields > 0 && { omittedFields }) };
  });
  return { ...entry, changes };
}

function leaveOutChanges(entry: AuditEntry): AuditEntry {
  const changes = [...entry.changes];
  let bytes = toBytes({ ...entry, omittedChanges: entry.changes.length });
  while (bytes > entryBytesMax && changes.length > 0) bytes -= toBytes(changes.pop()) + 1;
  const omittedChanges = entry.changes.length - changes.length + (entry.omittedChanges ?? 0);
  return { ...entry, changes, ...(omittedChanges > 0 && { omittedChanges }) };
}

const toBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const isSmall = (entry: AuditEntry): boolean => toBytes(entry) <= entryBytesMax;
