import { TextField } from '../../../parts/form-fields.tsx';

/** A registry as a person types it. */
export type RegistryDraft = Record<'host' | 'repositoryPrefix' | 'username' | 'password', string>;

type Props = {
  draft: RegistryDraft;
  onChange: (draft: RegistryDraft) => void;
  passwordHint: string;
  isPasswordRequired: boolean;
};

export function RegistryFields({ draft, onChange, passwordHint, isPasswordRequired }: Props) {
  const set = (name: keyof RegistryDraft) => (value: string) => onChange({ ...draft, [name]: value });
  return (
    <>
      <TextField
        label="Host"
        hint="Such as registry.example.com or ghcr.io, with a port if it is not 443."
        pointer="/host"
        mono
        required
        spellCheck={false}
        value={draft.host}
        onChange={set('host')}
      />
      <TextField
        label="Repository prefix, optional"
        hint="The path below which your images are, such as acme. With it, the check shows whether the account may push."
        pointer="/repositoryPrefix"
        mono
        spellCheck={false}
        value={draft.repositoryPrefix}
        onChange={set('repositoryPrefix')}
      />
      <TextField
        label="Account"
        pointer="/username"
        autoComplete="off"
        required
        spellCheck={false}
        value={draft.username}
        onChange={set('username')}
      />
      <TextField
        label="Password or access token"
        hint={passwordHint}
        pointer="/password"
        type="password"
        autoComplete="new-password"
        required={isPasswordRequired}
        value={draft.password}
        onChange={set('password')}
      />
    </>
  );
}

/** Leaves out an empty prefix. */
export const toRegistryBody = ({ host, repositoryPrefix, username }: RegistryDraft) => ({
  host: host.trim(),
  ...(repositoryPrefix.trim() !== '' && { repositoryPrefix: repositoryPrefix.trim() }),
  username: username.trim(),
});
