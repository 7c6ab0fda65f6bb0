import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { identityProvidersQuery } from '../../../api/queries/identity-providers.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { LinesField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';

const empty = { name: '', label: '', issuer: '', clientId: '', clientSecret: '', groupsClaim: '', scopes: '' };
type Draft = typeof empty & { emailDomains?: string[] | undefined };

/** Adds an identity provider. The fields stay filled when the provider cannot be used. */
export function NewProvider() {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>(empty);
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const create = useMutation({
    mutationFn: async () => await request('post', '/v1/identity-providers', { params: {}, body: toBody(draft) }),
    onSuccess: async ({ spec }) => {
      announce(`People can sign in with ${spec.label} now.`);
      setDraft(empty);
      await queryClient.invalidateQueries(identityProvidersQuery);
    },
  });
  const redirectUrl = `${location.origin}/api/v1/auth/providers/${draft.name.trim() || '<name>'}/callback`;
  return (
    <Form
      label="Add an identity provider"
      error={create.error}
      onSubmit={() => create.isPending || create.mutate()}
      foot={
        <Button look="primary" type="submit" busy={create.isPending}>
          Add the provider
        </Button>
      }
    >
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
        label="Name for people"
        hint="The sign-in page shows it."
        pointer="/spec/label"
        required
        value={draft.label}
        onChange={(label) => set({ label })}
      />
      <TextField
        label="Issuer"
        hint="The URL below which the provider serves its configuration. It cannot be changed later."
        pointer="/spec/issuer"
        type="url"
        mono
        required
        value={draft.issuer}
        onChange={(issuer) => set({ issuer })}
      />
      <TextField
        label="Client id"
        hint="The provider shows it after the registration."
        pointer="/spec/clientId"
        mono
        required
        value={draft.clientId}
        onChange={(clientId) => set({ clientId })}
      />
      <TextField
        label="Client secret"
        hint="Stored, and never shown again. Empty for a public client."
        pointer="/clientSecret"
        type="password"
        autoComplete="new-password"
        value={draft.clientSecret}
        onChange={(clientSecret) => set({ clientSecret })}
      />
      <TextField
        label="Scopes"
        hint="With spaces between them. Empty: email, profile, groups and offline_access, as far as the provider lists them."
        pointer="/spec/scopes"
        mono
        value={draft.scopes}
        onChange={(scopes) => set({ scopes })}
      />
      <TextField
        label="Claim with the groups"
        hint="Empty: groups."
        pointer="/spec/groupsClaim"
        mono
        value={draft.groupsClaim}
        onChange={(groupsClaim) => set({ groupsClaim })}
      />
      <LinesField
        label="E-mail domains"
        hint="Whose addresses may sign in, one in each line. Empty: all."
        pointer="/spec/emailDomains"
        value={draft.emailDomains}
        onChange={(emailDomains) => set({ emailDomains })}
      />
    </Form>
  );
}

/** An empty field leaves its value out. */
function toBody({ name, clientSecret, groupsClaim, scopes, emailDomains, ...required }: Draft) {
  const words = scopes.split(/\s+/).filter((scope) => scope !== '');
  const domains = (emailDomains ?? []).map((domain) => domain.trim()).filter((domain) => domain !== '');
  return {
    name: name.trim(),
    ...(clientSecret !== '' && { clientSecret }),
    spec: {
      label: required.label.trim(),
      issuer: required.issuer.trim(),
      clientId: required.clientId.trim(),
      ...(groupsClaim.trim() !== '' && { groupsClaim: groupsClaim.trim() }),
      ...(words.length > 0 && { scopes: words }),
      ...(domains.length > 0 && { emailDomains: domains }),
    },
  };
}
