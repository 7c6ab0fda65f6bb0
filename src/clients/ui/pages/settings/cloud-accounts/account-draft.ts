import type { Schemas } from '../../../api/generated/openapi.ts';

export type Account = Schemas['CloudAccount'];
export type Provider = Account['spec']['provider'];

/** An account as a person types it. */
export type AccountDraft = { provider: Provider } & Record<
  'roleArn' | 'region' | 'workloadIdentityProvider' | 'serviceAccount',
  string
>;

export const emptyDraft: AccountDraft = {
  provider: 'aws',
  roleArn: '',
  region: '',
  workloadIdentityProvider: '',
  serviceAccount: '',
};

export const providers: [Provider, string][] = [
  ['aws', 'AWS'],
  ['google', 'Google Cloud'],
];

/** Leaves out the fields of the other provider. */
export const toSpec = (draft: AccountDraft): Account['spec'] =>
  draft.provider === 'aws'
    ? { provider: 'aws', roleArn: draft.roleArn.trim(), region: draft.region.trim() }
    : {
        provider: 'google',
        workloadIdentityProvider: draft.workloadIdentityProvider.trim(),
        serviceAccount: draft.serviceAccount.trim(),
      };
