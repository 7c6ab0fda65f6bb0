import { ServiceError } from '../../errors.ts';
import { isDeleting } from '../resource.ts';
import type { Organization } from './kinds.ts';

/** Throws while the org is being deleted, which must not meet new work. */
export function assertOrgActive(organization: Pick<Organization, 'metadata'>): void {
  if (!isDeleting(organization)) return;
  throw new ServiceError('org-deleting', `The org "${organization.metadata.name}" is being deleted. Use another org.`);
}
