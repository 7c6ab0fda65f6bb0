import { areGroupsExpired } from './identity-freshness.ts';
import type { User } from './kinds.ts';
import type { ProviderGroup } from './provider-group.ts';

type Known = {
  /** The uids of the identity providers that people can sign in through. */
  providerUids: ReadonlySet<string>;
  now: Date;
};

/** Lists the groups of a user at identity providers that give roles now. */
export const listCurrentGroups = ({ status }: Pick<User, 'status'>, { providerUids, now }: Known): ProviderGroup[] =>
  (status?.identities ?? [])
    .filter((identity) => providerUids.has(identity.providerUid) && !areGroupsExpired(identity, now))
    .flatMap(({ provider, groups }) => groups.map((group) => ({ provider, group })));
