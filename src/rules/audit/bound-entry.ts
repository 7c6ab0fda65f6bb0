import type { AuditEntry } from './entry.ts';

/** A person can cause thousands of entries between two sweeps, and a cluster keeps each as an object. */
export const entryBytesMax = 32 * 1024;

/** Leaves out values of a large entry, so that it can be stored: first those before and after, then those of the body. */
export function boundEntry(entry: AuditEntry): AuditEntry {
  if (isSmall(entry)) return entry;
  const changes = entry.changes.map((change) => ({
    ...change,
    fields: [],
    omittedFields: change.fields.length + (change.omittedFields ?? 0),
  }));
  const withoutFields = { ...entry, changes };
  if (isSmall(withoutFields)) return withoutFields;
  const parameters = entry.parameters.filter(({ name }) => name.startsWith('path.'));
  const omittedParameters = entry.parameters.length - parameters.length + (entry.omittedParameters ?? 0);
  return { ...withoutFields, parameters, omittedParameters };
}

const isSmall = (entry: AuditEntry): boolean => Buffer.byteLength(JSON.stringify(entry)) <= entryBytesMax;
