import { useQuery } from '@tanstack/react-query';
import { orgPeopleQuery } from '../../../api/queries/people.ts';
import { Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';
import { orgRoles, roleMeanings } from './roles.ts';

/** Shows what each role may do, and how many people have it. */
export function RoleTable({ org }: { org: string }) {
  const { data, error } = useQuery(orgPeopleQuery(org));
  return (
    <Section id="roles" title="What each role may do">
      {error && <ProblemNotice error={error} />}
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
                {data?.counts[role]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
