import { ServiceError } from '../../errors.ts';
import type { Organization } from './kinds.ts';

/** Throws while the org is being deleted, which must not meet new work. */
export function assertOrgActive({ metadata }: Pick<Organization, 'metadata'>): void {
  if (metadata.deletionTimestamp === undefined) return;
  throw new ServiceError('org-deleting', `The org "${metadata.name}" is being deleted. Use another org.`);
}
