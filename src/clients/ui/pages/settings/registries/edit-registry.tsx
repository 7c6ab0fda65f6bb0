import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { type RegistryDraft, RegistryFields, toRegistryBody } from './registry-fields.tsx';

type Registry = Schemas['Registry'];

/** Replaces a registry in the version that was opened. The stored password is kept when the field stays empty. */
export function EditRegistry({ org, registry, onDone }: { org: string; registry: Registry; onDone: () => void }) {
  const queryClient = useQueryClient();
  const { name } = registry;
  const [version] = useState(registry.resourceVersion);
  const [draft, setDraft] = useState<RegistryDraft>({
    host: registry.host,
    repositoryPrefix: registry.repositoryPrefix ?? '',
    username: registry.username,
    password: '',
  });
  const save = useMutation({
    mutationFn: async () =>
      await request('put', '/v1/orgs/{org}/registries/{name}', {
        params: { org, name },
        headers: { 'If-Match': `"${version}"` },
        body: { ...toRegistryBody(draft), ...(draft.password !== '' && { password: draft.password }) },
      }),
    onSuccess: () => {
      announce(`The registry ${name} is saved.`);
      onDone();
    },
    // Another person may have saved it meanwhile: it is opened again as it is now.
    onSettled: async () => await queryClient.invalidateQueries(registriesQuery(org)),
  });
  return (
    <Form
      label={`Edit ${name}`}
      error={save.error}
      onSubmit={() => save.isPending || save.mutate()}
      foot={
        <>
          <Button look="primary" type="submit" busy={save.isPending}>
            Check and save
          </Button>
          <Button look="plain" onClick={onDone}>
            Cancel
          </Button>
        </>
      }
    >
      <RegistryFields
        draft={draft}
        onChange={setDraft}
        passwordHint="One is stored. Leave empty to keep it."
        isPasswordRequired={false}
      />
    </Form>
  );
}
