import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { toPrecondition } from '../../../api/preconditions.ts';
import { request } from '../../../api/request.ts';
import { EditRow } from '../edit-row.tsx';
import { type RegistryDraft, RegistryFields, toRegistryBody } from './registry-fields.tsx';

type Registry = Schemas['Registry'];

/** Replaces a registry. The stored password is kept when the field stays empty. */
export function EditRegistry({ org, registry, onDone }: { org: string; registry: Registry; onDone: () => void }) {
  const { name } = registry;
  const [version] = useState(registry.resourceVersion);
  const [draft, setDraft] = useState<RegistryDraft>({
    host: registry.host,
    repositoryPrefix: registry.repositoryPrefix ?? '',
    username: registry.username,
    password: '',
  });
  const save = async (): Promise<string> => {
    await request('put', '/v1/orgs/{org}/registries/{name}', {
      params: { org, name },
      headers: toPrecondition(version),
      body: { ...toRegistryBody(draft), ...(draft.password !== '' && { password: draft.password }) },
    });
    return `The registry ${name} is saved.`;
  };
  return (
    <EditRow name={name} query={registriesQuery(org)} onSave={save} saveText="Check and save" onDone={onDone}>
      <RegistryFields
        draft={draft}
        onChange={setDraft}
        passwordHint="One is stored. Leave empty to keep it."
        isPasswordRequired={false}
      />
    </EditRow>
  );
}
