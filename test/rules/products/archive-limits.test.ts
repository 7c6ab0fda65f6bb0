import { expect, it } from 'vitest';
import { allArchivesPrefix, archiveKey, archivesPrefix } from '../../../src/rules/products/archive-limits.ts';

it('keeps the archives of orgs apart', () => {
  expect(archiveKey({ org: 'acme', sha256: 'ab' })).toBe('archives/acme/ab');
  expect('archives/acme-2/ab'.startsWith(archivesPrefix('acme'))).toBe(false);
  expect(archivesPrefix('acme').startsWith(allArchivesPrefix)).toBe(true);
});
