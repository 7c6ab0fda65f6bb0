import { describe, expect, it } from 'vitest';
import { boundEntry, entryBytesMax } from '../../../src/rules/audit/bound-entry.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';

const text = '語'.repeat(1_000);
const build = (counts: { parameters: number; changes: number; fields?: number }): AuditEntry => ({
  id: '20261125t120000001z-ffffffff',
  at: '2026-11-25T12:00:00.001Z',
  operation: 'putAccessGroups',
  via: 'session',
  address: '192.0.2.7',
  requestId: 'one',
  parameters: [
    { name: 'path.org', value: 'acme' },
    ...Array.from({ length: counts.parameters }, (_, index) => ({ name: `body.${index}`, value: text })),
  ],
  result: 'succeeded',
  changes: Array.from({ length: counts.changes }, (_, index) => ({
    kind: 'AccessGroup',
    name: `group-${index}`,
    action: 'updated' as const,
    fields: Array.from({ length: counts.fields ?? 100 }, (__, field) => ({
      field: `spec.${field}`,
      before: text,
      after: text,
    })),
    omittedFields: 1,
  })),
});

describe('boundEntry', () => {
  it('keeps an entry that fits', () => {
    const entry = build({ parameters: 9, changes: 0 });
    expect(boundEntry(entry)).toBe(entry);
  });

  it('leaves out fields of all changes alike, and keeps the first of each', () => {
    const bounded = boundEntry(build({ parameters: 4, changes: 3 }));
    expect(bounded.changes.map(({ name, fields, omittedFields }) => [name, fields.length, omittedFields])).toEqual([
      ['group-0', 2, 99],
      ['group-1', 2, 99],
      ['group-2', 2, 99],
    ]);
    expect(bounded.parameters).toHaveLength(5);
  });

  it('leaves out the values of the body before the last fields', () => {
    const bounded = boundEntry(build({ parameters: 100, changes: 5 }));
    expect(bounded.parameters).toEqual([{ name: 'path.org', value: 'acme' }]);
    expect(bounded.omittedParameters).toBe(100);
    expect(bounded.changes.map(({ fields }) => fields.length)).toEqual([2, 2, 2, 2, 2]);
  });

  it('keeps which resources were changed after all values', () => {
    const bounded = boundEntry(build({ parameters: 0, changes: 400, fields: 3 }));
    expect(bounded.changes).toHaveLength(400);
    expect(bounded.changes[399]).toEqual({
      kind: 'AccessGroup',
      name: 'group-399',
      action: 'updated',
      fields: [],
      omittedFields: 4,
    });
    expect(bounded.omittedChanges).toBeUndefined();
  });

  it('leaves out the last changes when their names alone are too large', () => {
    const bounded = boundEntry({ ...build({ parameters: 0, changes: 2_000, fields: 0 }), omittedChanges: 7 });
    expect(bounded.changes.length).toBeGreaterThan(400);
    expect(bounded.changes.length + (bounded.omittedChanges ?? 0)).toBe(2_007);
    const bytes = Buffer.byteLength(JSON.stringify(bounded));
    expect(bytes).toBeLessThanOrEqual(entryBytesMax);
    expect(bytes).toBeGreaterThan(entryBytesMax - 200);
  });
});
