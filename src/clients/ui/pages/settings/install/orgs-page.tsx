import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../../api/queries/me.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import table from '../../../parts/table.module.css';
import { useNavigateIfHere } from '../../../parts/use-navigate-if-here.ts';

/** The orgs that the person can open, and a new one. */
export function OrgsPage() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <>
      <PageHead title="Orgs">An org has its own Products, people, agents and account on the code host.</PageHead>
      <Columns aside={<CurlLine path="/orgs" />}>
        {me.orgs.length === 0 ? (
          <Empty title="No org yet">
            <p>Create the first one below.</p>
          </Empty>
        ) : (
          <table className={table['tbl']}>
            <thead>
              <tr>
                <th scope="col">Org</th>
                <th scope="col">Your role</th>
              </tr>
            </thead>
            <tbody>
              {me.orgs.map(({ org, role }) => (
                <tr key={org}>
                  <th scope="row">
                    <Link className={table['title']} to="/$org/settings" params={{ org }}>
                      {org}
                    </Link>
                  </th>
                  <td data-l="Your role">{role}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <Section id="new" title="Create an org">
          <NewOrg why={me.platformAdmin ? undefined : 'Only a platform admin may create an org.'} />
        </Section>
      </Columns>
    </>
  );
}

function NewOrg({ why }: { why: string | undefined }) {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [account, setAccount] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigateIfHere();
  const create = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs', {
        params: {},
        body: {
          name,
          ...(displayName !== '' && { displayName }),
          ...(account !== '' && { codehostAccount: account }),
        },
      }),
    onSuccess: async (created) => {
      await queryClient.invalidateQueries({ queryKey: ['me'] });
      await navigate({ to: '/$org/settings/codehost', params: { org: created.name } });
    },
  });
  return (
    <Form
      label="Create an org"
      error={create.error}
      why={why}
      onSubmit={() => create.isPending || create.mutate()}
      foot={
        <Button look="primary" type="submit" why={why} busy={create.isPending}>
          Create the org
        </Button>
      }
    >
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens. It cannot be changed."
        pointer="/name"
        required
        spellCheck={false}
        value={name}
        onChange={setName}
      />
      <TextField
        label="Display name"
        hint="Empty for the name above."
        pointer="/displayName"
        value={displayName}
        onChange={setDisplayName}
      />
      <TextField
        label="Account on the code host"
        hint="Owns the repos of the org. Empty for the name above."
        pointer="/codehostAccount"
        spellCheck={false}
        value={account}
        onChange={setAccount}
      />
    </Form>
  );
}
