import type { Schemas } from '../../../api/generated/openapi.ts';

/** The registry as a person types it; an empty password keeps the stored one. */
export type ImageRegistryDraft = Record<
  'host' | 'repositoryPrefix' | 'pushUsername' | 'pushPassword' | 'pullUsername' | 'pullPassword',
  string
>;

export const toDraft = ({ host, repositoryPrefix, push, pull }: Schemas['ImageRegistry']): ImageRegistryDraft => ({
  host: host ?? '',
  repositoryPrefix: repositoryPrefix ?? '',
  pushUsername: push?.username ?? '',
  pushPassword: '',
  pullUsername: pull?.username ?? '',
  pullPassword: '',
});

const toAccount = (username: string, password: string) => ({
  username: username.trim(),
  ...(password !== '' && { password }),
});

export const toBody = (draft: ImageRegistryDraft) => ({
  host: draft.host.trim(),
  repositoryPrefix: draft.repositoryPrefix.trim(),
  push: toAccount(draft.pushUsername, draft.pushPassword),
  pull: toAccount(draft.pullUsername, draft.pullPassword),
});

/** Leaves out the passwords, which a comparison must not show. */
export const toShown = ({ host, repositoryPrefix, pushUsername, pullUsername }: ImageRegistryDraft) => ({
  host,
  repositoryPrefix,
  push: pushUsername,
  pull: pullUsername,
});
