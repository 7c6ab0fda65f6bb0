import { useState } from 'react';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { request } from '../../../api/request.ts';
import { EditRow } from '../edit-row.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { type Provider, toBody, toDraft } from './provider-draft.ts';

/** Replaces a provider. People stay signed in. */
export function EditProvider({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const [generation] = useState(provider.generation);
  const [draft, setDraft] = useState(() => toDraft(provider));
  const save = async (): Promise<string> => {
    const { name, ...body } = toBody(draft);
    const { spec } = await request('put', '/v1/identity-providers/{provider}', {
      params: { provider: name },
      body: { ...body, generation },
    });
    return `${spec.label} is saved.`;
  };
  return (
    <EditRow name={provider.name} query={identityProvidersQuery} onSave={save} onDone={onDone}>
      <ProviderFields
        draft={draft}
        set={(change) => setDraft({ ...draft, ...change })}
        hasSecret={provider.hasClientSecret}
      />
    </EditRow>
  );
}
