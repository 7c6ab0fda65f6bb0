import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { type Draft, type Provider, toBody, toDraft } from './provider-draft.ts';

/** Replaces a provider in the generation that was opened. People stay signed in. */
export function EditProvider({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const queryClient = useQueryClient();
  const [generation] = useState(provider.generation);
  const [draft, setDraft] = useState(() => toDraft(provider));
  const save = useMutation({
    mutationFn: async () => {
      const { name, ...body } = toBody(draft);
      return await request('put', '/v1/identity-providers/{provider}', {
        params: { provider: name },
        body: { ...body, generation },
      });
    },
    onSuccess: ({ spec }) => {
      announce(`${spec.label} is saved.`);
      onDone();
    },
    // Another person may have saved it meanwhile: it is opened again as it is now.
    onSettled: async () => await queryClient.invalidateQueries(identityProvidersQuery),
  });
  return (
    <Form
      label={`Edit ${provider.name}`}
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
      <ProviderFields
        draft={draft}
        set={(change: Partial<Draft>) => setDraft({ ...draft, ...change })}
        hasSecret={provider.hasClientSecret}
      />
    </Form>
  );
}
