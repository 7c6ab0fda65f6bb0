import type { Schemas } from '../../../api/generated/openapi.ts';

type Settings = Schemas['InstallationSettings'];

/** The settings as a person types them; a root in each line. */
export type InstallationDraft = { platformDomain: string; roots: string; password: Settings['signIn']['password'] };

export const toDraft = ({ platformDomain = '', managedDomainRoots, signIn }: Settings): InstallationDraft => ({
  platformDomain,
  roots: managedDomainRoots.join('\n'),
  password: signIn.password,
});

/** Leaves out what is empty. */
export function toBody({ platformDomain, roots, password }: InstallationDraft) {
  const domain = platformDomain.trim();
  return {
    ...(domain !== '' && { platformDomain: domain }),
    managedDomainRoots: roots.split('\n').flatMap((root) => (root.trim() === '' ? [] : [root.trim()])),
    signIn: { password },
  };
}
