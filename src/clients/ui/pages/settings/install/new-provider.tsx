import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { type Draft, empty, toBody, toIssuer, type Type, types } from './provider-draft.ts';

/** Adds an identity provider. The fields stay filled when the provider cannot be used. */
export function NewProvider() {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>(empty);
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const create = useMutation({
    mutationFn: async (sent: Draft) =>
      await request('post', '/v1/identity-providers', { params: {}, body: toBody(sent) }),
    onSuccess: async ({ spec }, sent) => {
      announce(`People can sign in with ${spec.label} now.`);
      setDraft(clearSent(sent, empty));
      await queryClient.invalidateQueries(identityProvidersQuery);
    },
  });
  const isGithub = draft.type === 'github';
  const redirectUrl = `${location.origin}/api/v1/auth/providers/${draft.name.trim() || '<name>'}/callback`;
  return (
    <Form
      label="Add an identity provider"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate(draft)}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Add the provider
        </Button>
      }
    >
      <ChoiceField
        label="Type"
        pointer="/spec/type"
        value={draft.type}
        options={[...types]}
        onChange={(type) => set({ type: type as Type, issuer: toIssuer(type, draft.issuer) })}
      />
      <TextField
        label="Name"
        hint={
          <>
            Register this redirect URL at the provider: <code>{redirectUrl}</code>
          </>
        }
        pointer="/name"
        required
        spellCheck={false}
        value={draft.name}
        onChange={(name) => set({ name })}
      />
      <TextField
        label={isGithub ? 'Web address' : 'Issuer'}
        hint={
          isGithub
            ? 'Where people open the code host. It cannot be changed later.'
            : 'The URL below which the provider serves its configuration. It cannot be changed later.'
        }
        pointer="/spec/issuer"
        type="url"
        mono
        required
        value={draft.issuer}
        onChange={(issuer) => set({ issuer })}
      />
      <ProviderFields draft={draft} set={set} hasSecret={false} />
    </Form>
  );
}
