import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../../api/queries/me.ts';
import { usersQuery } from '../../../api/queries/settings.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { NewPasswordField } from '../../../parts/new-password-field.tsx';
import { useOpenRows } from '../../../parts/use-open-rows.ts';
import { useShowMore } from '../../../parts/use-show-more.tsx';
import { Columns, PageHead, Section } from '../../../parts/page.tsx';
import { Person } from '../../../parts/person.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { Providers } from './providers.tsx';
import { ResetPassword } from './reset-password.tsx';
import { UserActions } from './user-actions.tsx';
import { UserRoles } from './user-roles.tsx';

const usersFirst = 100;

/** The people who can sign in to the installation. */
export function UsersPage() {
  const { data } = useSuspenseQuery(usersQuery);
  const { data: me } = useSuspenseQuery(meQuery);
  const resetting = useOpenRows();
  const [shownRoles, setShownRoles] = useState<string>();
  const { shown, more } = useShowMore(data.items, usersFirst);
  return (
    <>
      <PageHead title="People">
        Who can sign in. An access group of an org gives a person a role there; a platform admin may change everything.
      </PageHead>
      <Columns aside={<CurlLine path="/access/users" />}>
        {shown.length > 0 && (
          <table className={table['tbl']}>
            <thead>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">E-mail address</th>
                <th scope="col">Installation</th>
                <th scope="col">Created</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {shown.map(({ name, email, platformAdmin, createdAt }) => (
                <tr key={name} className={resetting.names.includes(name) ? table['sel'] : undefined}>
                  <th scope="row">
                    <Person email={email} />
                  </th>
                  <td data-l="E-mail address">{email}</td>
                  <td data-l="Installation">{platformAdmin ? 'Platform admin' : 'No role'}</td>
                  <td data-l="Created">
                    <Time at={createdAt} />
                  </td>
                  <td className="right">
                    <UserActions
                      user={{ name, email }}
                      isSelf={name === me.user}
                      areRolesShown={shownRoles === email}
                      onShowRoles={() => setShownRoles(shownRoles === email ? undefined : email)}
                      onReset={() => resetting.open(name)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {more}
        {data.continue !== undefined && <p className="dim small">Only the first 200 people are shown.</p>}
        {shownRoles !== undefined && <UserRoles email={shownRoles} />}
        {data.items
          .filter(({ name }) => resetting.names.includes(name))
          .map((user) => (
            <Section
              key={user.name}
              id={`reset-${user.name}`}
              title={`New password for ${user.email}`}
              note="Ends all their sessions"
            >
              <ResetPassword user={user} onClose={() => resetting.close(user.name)} />
            </Section>
          ))}
        <Section id="new" title="Add a person" note="Who signs in with a password">
          <NewUser />
        </Section>
        <Providers />
      </Columns>
    </>
  );
}

const emptyUser = { email: '', password: '' };

function NewUser() {
  const [draft, setDraft] = useState(emptyUser);
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async (body: typeof emptyUser) => await request('post', '/v1/access/users', { params: {}, body }),
    onSuccess: async (_, sent) => {
      announce(`${sent.email} can sign in now.`);
      setDraft(clearSent(sent, emptyUser));
      await queryClient.invalidateQueries(usersQuery);
    },
  });
  return (
    <Form
      label="Add a person"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate(draft)}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Add the person
        </Button>
      }
    >
      <TextField
        label="E-mail address"
        hint="They sign in with it, and access groups name them by it."
        pointer="/email"
        type="email"
        required
        value={draft.email}
        onChange={(email) => setDraft({ ...draft, email })}
      />
      <NewPasswordField
        label="First password"
        hint="Share it securely."
        pointer="/password"
        value={draft.password}
        onChange={(password) => setDraft({ ...draft, password })}
      />
    </Form>
  );
}
