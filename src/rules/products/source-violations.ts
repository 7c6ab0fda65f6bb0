import type { FieldError } from '../../errors.ts';
import type { Organization } from '../orgs/kinds.ts';
import type { Product, ProductSpec } from './kinds.ts';
import type { ProductSource } from './source.ts';

type Context = {
  /** The spec that is replaced. */
  before: ProductSpec | undefined;
  status: Product['status'];
  organization: Organization | undefined;
};

/** Returns what is wrong with the source of a Product. Once its repo was made, the repo may be renamed or left. */
export function sourceViolations(
  { source, repos }: ProductSpec,
  { before, status, organization }: Context,
): FieldError[] {
  const pointer = '/spec/source';
  if (before && !isSameSource(source, before.source))
    return [{ pointer, detail: 'cannot change, because it says how the Product was made: send it as it was read' }];
  if (source === undefined) return [];
  const account = organization?.spec.codehostAccount ?? '';
  const owner = source.repo.split('/')[0] ?? '';
  return [
    ...((source.template === undefined) === (source.archive === undefined)
      ? [{ pointer, detail: 'must have either a template or an archive' }]
      : []),
    ...(before === undefined && owner.toLowerCase() !== account.toLowerCase()
      ? [{ pointer: `${pointer}/repo`, detail: `must be a repo of ${account}, the account of the org` }]
      : []),
    ...(repos.includes(source.repo) || status?.scaffold?.commit !== undefined
      ? []
      : [{ pointer: '/spec/repos', detail: `must contain ${source.repo}` }]),
  ];
}

const isSameSource = (one: ProductSource | undefined, other: ProductSource | undefined): boolean =>
  one?.repo === other?.repo && one?.template === other?.template && one?.archive?.sha256 === other?.archive?.sha256;
