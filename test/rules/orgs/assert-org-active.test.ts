import { expect, it } from 'vitest';
import { assertOrgActive } from '../../../src/rules/orgs/assert-org-active.ts';
import type { Organization } from '../../../src/rules/orgs/kinds.ts';

it('refuses new work of an org that is being deleted', () => {
  const metadata = { name: 'acme' } as Organization['metadata'];
  assertOrgActive({ metadata });
  expect(() => assertOrgActive({ metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toThrow(
    expect.objectContaining({ reason: 'org-deleting', message: expect.stringContaining('"acme" is being deleted') }),
  );
});
