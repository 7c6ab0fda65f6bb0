import type { CloudRefusal } from '../../rules/cloud-accounts/cloud-refusal.ts';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';

export type CloudSignIn = {
  /** The token of the installation for this provider, which no result may contain. */
  token: string;
  /** The name under which the provider's log shows the session. */
  session: string;
};

/** Accounts at clouds that trust tokens of this installation. */
export type Clouds = {
  /** Exchanges the token for credentials, asks who they are, and forgets them. A refusal is a result, no error. */
  check(account: CloudAccountSpec, signIn: CloudSignIn): Promise<{ identity: string } | CloudRefusal>;
};

/** The servers of the providers; `{region}` is replaced in that of AWS. */
export type CloudEndpoints = { awsSts?: string | undefined; googleSts: string; googleIam: string };
