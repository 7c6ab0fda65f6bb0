import type { Schemas } from '../api/generated/openapi.ts';

type Reason = Schemas['OrgPerson']['reasons'][number];

/** Says why an access group gives a person a role. */
export const RoleReason = ({ reason }: { reason: Reason }) => (
  <>
    The group <b>{reason.accessGroup}</b> gives the role {reason.role}, because it {describe(reason)}.
  </>
);

const describe = ({ providerGroup }: Reason): string =>
  providerGroup === undefined
    ? 'lists this address'
    : `contains the group ${providerGroup.group} of the identity provider ${providerGroup.provider}`;
