import { TextField } from '../../../parts/form-fields.tsx';
import type { SettingsDraft } from '../../../parts/use-draft.ts';
import type { ImageRegistryDraft } from './image-registry-draft.ts';

type Field = keyof ImageRegistryDraft;
type Props = { draft: Pick<SettingsDraft<ImageRegistryDraft>, 'value' | 'base' | 'set'>; hasPassword: boolean };

export function ImageRegistryFields({ draft, hasPassword }: Props) {
  const bind = (name: Field) => ({
    value: draft.value[name],
    isChanged: draft.value[name] !== draft.base[name],
    onChange: (text: string) => draft.set({ ...draft.value, [name]: text }),
    required: true,
    spellCheck: false,
  });
  const secret = (name: Field) => ({
    ...bind(name),
    type: 'password',
    autoComplete: 'new-password',
    required: !hasPassword,
    ...(hasPassword && { hint: 'One is stored. Leave empty to keep it.' }),
  });
  return (
    <>
      <TextField
        label="Host"
        hint="Such as registry.example.com, with a port if it is not 443."
        pointer="/host"
        mono
        {...bind('host')}
      />
      <TextField
        label="Repository prefix"
        hint="The path below which each org gets its own."
        pointer="/repositoryPrefix"
        mono
        {...bind('repositoryPrefix')}
      />
      <TextField
        label="Account of builds"
        hint="It pushes images."
        pointer={['/push/username', '/push']}
        {...bind('pushUsername')}
      />
      <TextField label="Password of builds" pointer="/push/password" {...secret('pushPassword')} />
      <TextField
        label="Account of zones"
        hint="It pulls images. Each zone holds its password, so it should not push."
        pointer={['/pull/username', '/pull']}
        {...bind('pullUsername')}
      />
      <TextField label="Password of zones" pointer="/pull/password" {...secret('pullPassword')} />
    </>
  );
}
