import { useQuery } from '@tanstack/react-query';
import { accessGroupsStatusQuery } from '../../../api/queries/people.ts';
import { Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';

/** Shows what each saved group resolves to: who can sign in, and whom the groups of identity providers add. */
export function GroupPeople({ org }: { org: string }) {
  const { data, error } = useQuery(accessGroupsStatusQuery(org));
  const groups = data?.accessGroups ?? [];
  if (!error && groups.length === 0) return null;
  return (
    <Section id="group-people" title="Who is in each group now" note="As saved">
      {error && <ProblemNotice error={error} />}
      {groups.length > 0 && (
        <table className={`${table['tbl']} ${table['tight']}`}>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">Can sign in</th>
              <th scope="col">Not a user yet</th>
              <th scope="col">By identity providers</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ name, members, providerGroups = [] }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td data-l="Can sign in">{listAddresses(members.filter(({ isUser }) => isUser))}</td>
                <td data-l="Not a user yet">{listAddresses(members.filter(({ isUser }) => !isUser))}</td>
                <td data-l="By identity providers">
                  {providerGroups.length === 0 && <span className="dim">None</span>}
                  {providerGroups.map(({ provider, group, people }) => (
                    <div key={`${provider} ${group}`}>
                      {group} <span className="dim">of {provider}:</span>{' '}
                      {people.length === 0 ? 'no one has signed in' : people.join(', ')}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

const listAddresses = (members: { email: string }[]) =>
  members.length === 0 ? <span className="dim">None</span> : members.map(({ email }) => email).join(', ');
