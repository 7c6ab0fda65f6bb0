import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { cloudAccountsQuery } from '../../../api/queries/cloud-accounts.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { type Account, emptyDraft, toSpec } from './account-draft.ts';
import { AccountFields } from './account-fields.tsx';

/** Replaces an account in the generation that was opened, which a check does not change. */
export function EditAccount({ org, account, onDone }: { org: string; account: Account; onDone: () => void }) {
  const queryClient = useQueryClient();
  const { name } = account;
  const [generation] = useState(account.generation);
  const [draft, setDraft] = useState({ ...emptyDraft, ...account.spec });
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/orgs/{org}/cloud-accounts/{name}', {
        params: { org, name },
        body: { spec: toSpec(draft), generation },
      }),
    onSuccess: () => {
      announce(`The account ${name} is saved. Check it again.`);
      onDone();
    },
    // Another person may have saved it meanwhile: it is opened again as it is now.
    onSettled: async () => await queryClient.invalidateQueries(cloudAccountsQuery(org)),
  });
  return (
    <Form
      label={`Edit ${name}`}
      error={save.error}
      onSubmit={() => save.isPending || save.mutate()}
      foot={
        <>
          <Button look="primary" type="submit" busy={save.isPending}>
            Save
          </Button>
          <Button look="plain" onClick={onDone}>
            Cancel
          </Button>
        </>
      }
    >
      <AccountFields draft={draft} onChange={setDraft} />
    </Form>
  );
}
