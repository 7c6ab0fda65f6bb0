import type { Schemas } from '../../../api/generated/openapi.ts';
import { RoleReason } from '../../../parts/role-reason.tsx';
import { Mark } from '../../../parts/state.tsx';
import styles from './access.module.css';

type Person = Schemas['OrgPerson'];

/** The role of a person in an org, with each reason for it. */
export const PersonAnswer = ({ org, email, person }: { org: string; email: string; person: Person | undefined }) => (
  <div className={styles['answer']} role="status" data-state={person ? 'done' : 'warn'}>
    <Mark state={person ? 'done' : 'warn'} />
    {person ? (
      <div>
        <p>
          <b>
            {person.email} has the role {person.role}.
          </b>{' '}
          What that role may do is below.
        </p>
        <ul>
          {person.platformAdmin && <li>A platform admin has every role in every org.</li>}
          {person.reasons.map((reason) => (
            <li key={JSON.stringify(reason)}>
              <RoleReason reason={reason} />
            </li>
          ))}
        </ul>
        {person.user === undefined && <p>No user has this address yet, so no one can sign in with it.</p>}
      </div>
    ) : (
      <p>
        <b>
          {email} has no role in {org}.
        </b>{' '}
        No group lists this address, or contains a group that an identity provider has named for it. People of such a
        group are known once they have signed in. A platform admin needs none.
      </p>
    )}
  </div>
);
