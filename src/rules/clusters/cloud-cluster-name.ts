import type { CloudAccountSpec } from '../cloud-accounts/kinds.ts';

export const eksName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
export const gkeName =
  /^projects\/[a-z0-9][a-z0-9:.-]{0,62}\/locations\/[a-z0-9-]{1,40}\/clusters\/[a-z][a-z0-9-]{0,39}$/;

/** Returns why a name cannot be that of a cluster at the provider of an account. */
export function cloudClusterNameViolation(provider: CloudAccountSpec['provider'], name: string): string | undefined {
  if (provider === 'aws')
    return eksName.test(name) ? undefined : 'must be the name of an EKS cluster, because the account is an AWS account';
  if (gkeName.test(name)) return undefined;
  return 'must be projects/<project>/locations/<location>/clusters/<name>, because the account is a Google Cloud account';
}
