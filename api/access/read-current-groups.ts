import { listCurrentGroups } from '../../src/rules/access/list-current-groups.ts';
import type { User } from '../../src/rules/access/kinds.ts';
import type { ProviderGroup } from '../../src/rules/access/provider-group.ts';
import type { ApiDeps } from '../deps.ts';
import { listUsableProviders } from '../identity/identity-provider.ts';

/** Returns a function that lists the groups of a user at identity providers that give roles now. */
export async function readCurrentGroups({
  store,
  now,
}: Pick<ApiDeps, 'store' | 'now'>): Promise<(user: User) => ProviderGroup[]> {
  const providers = await listUsableProviders(store);
  const known = { providerUids: new Set(providers.map(({ metadata }) => metadata.uid)), now: now() };
  return (user) => listCurrentGroups(user, known);
}
