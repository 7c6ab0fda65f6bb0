import { expect, it } from 'vitest';
import { repoReservationName } from '../../../src/rules/products/repo-reservation-name.ts';

it('names one reservation for a repo of an org in any letters', () => {
  const name = repoReservationName('acme', 'Acme/.github_io');
  expect(name).toMatch(/^repo-[0-9a-f]{40}$/);
  expect(repoReservationName('acme', 'acme/.GITHUB_io')).toBe(name);
  expect(repoReservationName('umbrella', 'acme/.github_io')).not.toBe(name);
  expect(repoReservationName('acme', 'acme/other')).not.toBe(name);
});
