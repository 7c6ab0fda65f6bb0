import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { personRolesQuery } from '../../../api/queries/people.ts';
import { Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { RoleReason } from '../../../parts/role-reason.tsx';
import table from '../../../parts/table.module.css';

/** The orgs in which a person has a role, with each reason for it. */
export function UserRoles({ email }: { email: string }) {
  const { data, error } = useQuery(personRolesQuery(email));
  return (
    <Section id="roles" title={`Roles of ${email}`} note="By the access groups of all orgs">
      {error && <ProblemNotice error={error} />}
      <p className="dim" role="status">
        {data && describeCount(data.items.length)}
      </p>
      {data && data.items.length > 0 && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">Org</th>
              <th scope="col">Role</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ org, role, platformAdmin, reasons }) => (
              <tr key={org}>
                <th scope="row">
                  <Link to="/$org/settings/access" params={{ org }} search={{ person: email }}>
                    {org}
                  </Link>
                </th>
                <td data-l="Role">{role}</td>
                <td data-l="Why">
                  {platformAdmin && <p>A platform admin has every role in every org.</p>}
                  {reasons.map((reason) => (
                    <p key={JSON.stringify(reason)}>
                      <RoleReason reason={reason} />
                    </p>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.continue !== undefined && <p className="dim small">Only the first 200 orgs are shown.</p>}
    </Section>
  );
}

const describeCount = (orgs: number): string => {
  if (orgs === 0) return 'No access group of any org gives this person a role.';
  return orgs === 1 ? 'A role in one org.' : `A role in ${orgs} orgs.`;
};
