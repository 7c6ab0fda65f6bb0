import { useState } from 'react';
import { cloudAccountsQuery } from '../../../api/queries/cloud-accounts.ts';
import { request } from '../../../api/request.ts';
import { EditRow } from '../edit-row.tsx';
import { type Account, emptyDraft, toSpec } from './account-draft.ts';
import { AccountFields } from './account-fields.tsx';

/** Replaces an account. A check does not change its generation. */
export function EditAccount({ org, account, onDone }: { org: string; account: Account; onDone: () => void }) {
  const { name } = account;
  const [generation] = useState(account.generation);
  const [draft, setDraft] = useState({ ...emptyDraft, ...account.spec });
  const save = async (): Promise<string> => {
    await request('put', '/v1/orgs/{org}/cloud-accounts/{name}', {
      params: { org, name },
      body: { spec: toSpec(draft), generation },
    });
    return `The account ${name} is saved. Check it again.`;
  };
  return (
    <EditRow name={name} query={cloudAccountsQuery(org)} onSave={save} onDone={onDone}>
      <AccountFields draft={draft} onChange={setDraft} />
    </EditRow>
  );
}
