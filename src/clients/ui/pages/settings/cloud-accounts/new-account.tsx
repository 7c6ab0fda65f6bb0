import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { cloudAccountsQuery } from '../../../api/queries/cloud-accounts.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { type AccountDraft, emptyDraft, toSpec } from './account-draft.ts';
import { AccountFields } from './account-fields.tsx';

type Props = { org: string; draft: AccountDraft; onChange: Dispatch<SetStateAction<AccountDraft>> };

/** Adds an account, and checks it at once. A refusal of the cloud is shown in the table. */
export function NewAccount({ org, draft, onChange }: Props) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: async (sent: { name: string; draft: AccountDraft }) => {
      const body = { name: sent.name.trim(), spec: toSpec(sent.draft) };
      const created = await request('post', '/v1/orgs/{org}/cloud-accounts', { params: { org }, body });
      const params = { org, name: created.name };
      // The account exists now, also if its check could not be sent: the table then shows that it was not checked.
      return await request('post', '/v1/orgs/{org}/cloud-accounts/{name}/check', { params }).catch(() => created);
    },
    onSuccess: async ({ name: added, status }, sent) => {
      announce(status?.lastCheck?.message ?? `The account ${added} is added.`);
      setName(clearSent(sent.name, ''));
      onChange(clearSent(sent.draft, emptyDraft));
      await queryClient.invalidateQueries(cloudAccountsQuery(org));
    },
  });
  return (
    <Form
      label="Add a cloud account"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate({ name, draft })}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Add and check
        </Button>
      }
    >
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens."
        pointer="/name"
        required
        spellCheck={false}
        value={name}
        onChange={setName}
      />
      <AccountFields draft={draft} onChange={onChange} />
    </Form>
  );
}
