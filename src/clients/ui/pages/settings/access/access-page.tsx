import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { accessGroupsQuery } from '../../../api/queries/settings.ts';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Approvals } from './approvals.tsx';
import { GroupPeople } from './group-people.tsx';
import { Groups } from './groups.tsx';
import { PersonRole } from './person-role.tsx';
import { RoleTable } from './role-table.tsx';

const route = getRouteApi('/signed-in/$org/settings/access');

/** The roles of people in an org, and the rules of approvals. */
export function AccessPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(accessGroupsQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  return (
    <>
      <Groups org={org} saved={data} why={findRefusal(organization.actions, 'putAccessGroups')} />
      <GroupPeople org={org} />
      <PersonRole org={org} />
      <RoleTable org={org} />
      <Approvals organization={organization} />
    </>
  );
}
