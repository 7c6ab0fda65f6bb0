import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { accessGroupsQuery } from '../../../api/queries/settings.ts';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Section } from '../../../parts/page.tsx';
import table from '../../../parts/table.module.css';
import { Approvals } from './approvals.tsx';
import { Groups } from './groups.tsx';
import { PersonRole } from './person-role.tsx';
import { countPeople, orgRoles, roleMeanings } from './roles.ts';

const route = getRouteApi('/signed-in/$org/settings/access');

/** The roles of people in an org, and the rules of approvals. */
export function AccessPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(accessGroupsQuery(org));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const counts = countPeople(data.accessGroups);
  return (
    <>
      <Groups org={org} saved={data} why={findRefusal(organization.actions, 'putAccessGroups')} />
      <PersonRole org={org} groups={data.accessGroups} />
      <Section id="roles" title="What each role may do">
        <table className={`${table['tbl']} ${table['tight']}`}>
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">May</th>
              <th scope="col" className={table['n']}>
                People
              </th>
            </tr>
          </thead>
          <tbody>
            {orgRoles.map((role) => (
              <tr key={role}>
                <th scope="row">{role}</th>
                <td>{roleMeanings[role]}</td>
                <td data-l="People" className={table['n']}>
                  {counts[role]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      <Approvals organization={organization} />
    </>
  );
}
