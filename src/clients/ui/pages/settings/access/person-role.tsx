import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { orgPeopleQuery, orgPersonQuery } from '../../../api/queries/people.ts';
import { Button } from '../../../parts/button.tsx';
import field from '../../../parts/field.module.css';
import { Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import styles from './access.module.css';
import { PersonAnswer } from './person-answer.tsx';

/** Asks which role a person has, and which groups give it. */
export function PersonRole({ org }: { org: string }) {
  const { person = '' } = useSearch({ from: '/signed-in/$org/settings/access' });
  const [typed, setTyped] = useState(person);
  // Another view of the page, as after Back, has its own person.
  useEffect(() => setTyped(person), [person]);
  const navigate = useNavigate();
  const id = useId();
  const { data: people } = useQuery(orgPeopleQuery(org));
  const { data: found, error } = useQuery({ ...orgPersonQuery(org, person), enabled: person !== '' });
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
          {people?.items.map(({ email }) => (
            <option key={email} value={email} />
          ))}
        </datalist>
        <Button type="submit">Look up</Button>
      </form>
      {error && <ProblemNotice error={error} />}
      {found && <PersonAnswer org={org} email={person} person={found.items[0]} />}
    </Section>
  );
}
