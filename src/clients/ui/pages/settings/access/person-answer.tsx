import type { Schemas } from '../../../api/generated/openapi.ts';
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
              The group <b>{reason.accessGroup}</b> gives the role {reason.role}, because it {describe(reason)}.
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

const describe = ({ providerGroup }: Person['reasons'][number]): string =>
  providerGroup === undefined
    ? 'lists this address'
    : `contains the group ${providerGroup.group} of the identity provider ${providerGroup.provider}`;
