import type { DomainSettings } from '../domains/kinds.ts';
import type { InstallationSpec } from './kinds.ts';

export type FirstValues = {
  domains: DomainSettings;
  passwordSignIn: InstallationSpec['signIn']['password'];
};

/** Returns the settings as the environment variables have them. */
export const toFirstSpec = ({ domains, passwordSignIn }: FirstValues): InstallationSpec => ({
  ...(domains.platformDomain !== undefined && { platformDomain: domains.platformDomain }),
  managedDomainRoots: [...domains.managedBaseDomains],
  signIn: { password: passwordSignIn },
});

export type EnvironmentDifference = { pointer: string; variable: string; values: string[] };

/** Lists the environment variables whose values no longer apply, because the Installation has others. */
export function listEnvironmentDifferences(spec: InstallationSpec, first: InstallationSpec): EnvironmentDifference[] {
  const toValues = ({ platformDomain, managedDomainRoots, signIn }: InstallationSpec): EnvironmentDifference[] => [
    {
      pointer: '/platformDomain',
      variable: 'ZONE_ADDRESS',
      values: platformDomain === undefined ? [] : [platformDomain],
    },
    {
      pointer: '/managedDomainRoots',
      variable: 'MANAGED_BASE_DOMAINS',
      values: managedDomainRoots.toSorted(),
    },
    { pointer: '/signIn/password', variable: 'PASSWORD_SIGN_IN', values: [signIn.password] },
  ];
  const current = toValues(spec);
  return toValues(first).filter(({ values }, index) => values.join(' ') !== current[index]?.values.join(' '));
}
