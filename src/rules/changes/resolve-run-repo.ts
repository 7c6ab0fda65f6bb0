import { ServiceError } from '../../errors.ts';
import type { Product } from '../products/kinds.ts';
import type { AgentWorkflowRun } from './kinds.ts';

/** Returns the repo that a run works on. */
export function resolveRunRepo({ spec }: Pick<AgentWorkflowRun, 'spec'>, product: Pick<Product, 'spec'>): string {
  const repo = findRunRepo({ spec }, product);
  if (repo !== undefined) return repo;
  throw new ServiceError('repo-required', `The Product "${spec.product}" has no repo. Add one to its spec.repos.`);
}

export const findRunRepo = (
  { spec }: Pick<AgentWorkflowRun, 'spec'>,
  product: Pick<Product, 'spec'> | undefined,
): string | undefined => spec.target?.repo ?? spec.release?.repo ?? spec.repo ?? product?.spec.repos[0];
