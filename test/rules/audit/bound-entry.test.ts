import { describe, expect, it } from 'vitest';
import { boundEntry, entryBytesMax } from '../../../src/rules/audit/bound-entry.ts';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';

const text = '語'.repeat(1_000);
const build = (counts: { parameters: number; changes: number }): AuditEntry => ({
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
    fields: Array.from({ length: 100 }, (__, field) => ({ field: `spec.${field}`, before: text, after: text })),
    omittedFields: 1,
  })),
});

describe('boundEntry', () => {
  it('keeps an entry that fits', () => {
    const entry = build({ parameters: 9, changes: 0 });
    expect(boundEntry(entry)).toBe(entry);
  });

  it('leaves out the values of changes, and keeps which resources they were', () => {
    const bounded = boundEntry(build({ parameters: 4, changes: 50 }));
    expect(bounded.changes).toHaveLength(50);
    expect(bounded.changes[7]).toEqual({
      kind: 'AccessGroup',
      name: 'group-7',
      action: 'updated',
      fields: [],
      omittedFields: 101,
    });
    expect(bounded.parameters).toHaveLength(5);
  });

  it('leaves out the values of the body too if they alone are too large', () => {
    const bounded = boundEntry(build({ parameters: 100, changes: 50 }));
    expect(bounded.parameters).toEqual([{ name: 'path.org', value: 'acme' }]);
    expect(bounded.omittedParameters).toBe(100);
    expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(entryBytesMax);
  });
});
