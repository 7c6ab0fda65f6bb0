import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import field from '../../../parts/field.module.css';
import { Section } from '../../../parts/page.tsx';
import { Mark } from '../../../parts/state.tsx';
import styles from './access.module.css';
import { findRole, type Group } from './roles.ts';

/** Answers which role a person has, and which group gives it. */
export function PersonRole({ org, groups }: { org: string; groups: Group[] }) {
  const { person = '' } = useSearch({ from: '/signed-in/$org/settings/access' });
  const [typed, setTyped] = useState(person);
  // Another view of the page, as after Back, has its own person.
  useEffect(() => setTyped(person), [person]);
  const navigate = useNavigate();
  const id = useId();
  const found = findRole(groups, person);
  const people = [...new Set(groups.flatMap(({ members }) => members))].toSorted();
  return (
    <Section id="who" title="What a person may do, and why" note="By the saved groups">
      <form
        className={styles['ask']}
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({
            to: '/$org/settings/access',
            params: { org },
            search: typed.trim() === '' ? {} : { person: typed.trim() },
          });
        }}
      >
        <label className="sr" htmlFor={id}>
          E-mail address of a person
        </label>
        <input
          id={id}
          className={field['input']}
          type="email"
          placeholder="E-mail address"
          list={`${id}-people`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id={`${id}-people`}>
          {people.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Button type="submit">Look up</Button>
      </form>
      {person !== '' && (
        <div className={styles['answer']} role="status" data-state={found ? 'done' : 'warn'}>
          <Mark state={found ? 'done' : 'warn'} />
          {found ? (
            <p>
              <b>
                {person} has the role {found.role}
              </b>{' '}
              through {found.groups.length === 1 ? 'the group' : 'the groups'} {found.groups.join(' and ')}. What that
              role may do is below.
            </p>
          ) : (
            <p>
              <b>
                {person} has no role in {org}.
              </b>{' '}
              No group lists this address. Add it to one. A platform admin needs none.
            </p>
          )}
        </div>
      )}
    </Section>
  );
}
