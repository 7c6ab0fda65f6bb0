import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { RegistryFields, toRegistryBody } from './registry-fields.tsx';

const empty = { name: '', host: '', repositoryPrefix: '', username: '', password: '' };

/** Connects a registry. The fields stay filled when the registry rejects the account. */
export function NewRegistry({ org }: { org: string }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(empty);
  const create = useMutation({
    mutationFn: async (sent: typeof empty) =>
      await request('post', '/v1/orgs/{org}/registries', {
        params: { org },
        body: { name: sent.name.trim(), ...toRegistryBody(sent), password: sent.password },
      }),
    onSuccess: async ({ name }, sent) => {
      announce(`The registry ${name} is connected.`);
      setDraft(clearSent(sent, empty));
      await queryClient.invalidateQueries(registriesQuery(org));
    },
  });
  return (
    <Form
      label="Connect a registry"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate(draft)}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Check and connect
        </Button>
      }
    >
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens."
        pointer="/name"
        required
        spellCheck={false}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <RegistryFields
        draft={draft}
        onChange={(changed) => setDraft({ ...changed, name: draft.name })}
        passwordHint="Stored as a secret, and never shown again."
        isPasswordRequired
      />
    </Form>
  );
}
