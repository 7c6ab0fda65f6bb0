import { LinesField, TextField } from '../../../parts/form-fields.tsx';
import type { Draft } from './provider-draft.ts';

type Fields = { draft: Draft; set: (change: Partial<Draft>) => void };

/** The fields of a provider that can change later. */
export function ProviderFields({ draft, set, hasSecret }: Fields & { hasSecret: boolean }) {
  const isGithub = draft.type === 'github';
  return (
    <>
      <TextField
        label="Display name"
        hint="The sign-in page shows it."
        pointer="/spec/label"
        required
        value={draft.label}
        onChange={(label) => set({ label })}
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
        hint={
          hasSecret
            ? 'One is stored. Leave empty to keep it.'
            : `Stored, and never shown again.${isGithub ? '' : ' Empty for a public client.'}`
        }
        pointer="/clientSecret"
        required={isGithub && !hasSecret}
        type="password"
        autoComplete="new-password"
        value={draft.clientSecret}
        onChange={(clientSecret) => set({ clientSecret })}
      />
      {isGithub ? <GithubFields draft={draft} set={set} /> : <OpenIdFields draft={draft} set={set} />}
      <LinesField
        label="E-mail domains"
        hint="Whose addresses may sign in, one in each line. Empty: all."
        pointer="/spec/emailDomains"
        value={draft.emailDomains}
        onChange={(emailDomains) => set({ emailDomains })}
      />
    </>
  );
}

const OpenIdFields = ({ draft, set }: Fields) => (
  <>
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
  </>
);

const GithubFields = ({ draft, set }: Fields) => (
  <LinesField
    label="Organizations"
    hint="Whose members may sign in, and whose teams are groups, such as acme/developers. One in each line. Empty: everyone with an account may sign in."
    pointer="/spec/organizations"
    value={draft.organizations}
    onChange={(organizations) => set({ organizations })}
  />
);
