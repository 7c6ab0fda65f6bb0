import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/rules/audit/entry.ts';
import { matchesAuditQuery, type AuditQuery } from '../../../src/rules/audit/matches-audit-query.ts';

const entry: AuditEntry = {
  id: '20261125t120000001z-ffffffff',
  at: '2026-11-25T12:00:00.001Z',
  operation: 'replaceProduct',
  by: 'Ada@example.com',
  user: 'user-ada',
  via: 'session',
  address: '192.0.2.7',
  requestId: 'one',
  parameters: [
    { name: 'path.product', value: 'shop' },
    { name: 'body.spec.repos[0]', value: 'repo' },
  ],
  result: 'succeeded',
  changes: [
    { kind: 'Product', name: 'shop', action: 'updated', fields: [] },
    { kind: 'Secret', name: 'other', action: 'updated', fields: [] },
  ],
};

it.each<[AuditQuery, boolean]>([
  [{}, true],
  [{ by: 'ada@EXAMPLE.com' }, true],
  [{ by: 'user-ada' }, true],
  [{ by: 'jo@example.com' }, false],
  [{ operation: 'replaceProduct' }, true],
  [{ operation: 'replace' }, false],
  [{ result: 'succeeded' }, true],
  [{ result: 'refused' }, false],
  [{ kind: 'Secret' }, true],
  [{ kind: 'User' }, false],
  [{ name: 'other' }, true],
  [{ name: 'repo' }, false],
  [{ kind: 'Product', name: 'shop' }, true],
  [{ kind: 'Product', name: 'other' }, false],
  [{ by: 'user-ada', kind: 'User' }, false],
])('matchesAuditQuery: %j is %s', (query, expected) => {
  expect(matchesAuditQuery(entry, query)).toBe(expected);
});

it('matchesAuditQuery finds a decision, which writes no resource, by the names in its path', () => {
  const decision = { ...entry, changes: [] };
  expect(matchesAuditQuery(decision, { name: 'shop' })).toBe(true);
  expect(matchesAuditQuery(decision, { name: 'shop', kind: 'Product' })).toBe(false);
});
