import type { CloudRefusal } from '../../rules/cloud-accounts/cloud-refusal.ts';
import type { CloudAccountSpec } from '../../rules/cloud-accounts/kinds.ts';

export type CloudSignIn = {
  /** The token of the installation for this provider, which no result may contain. */
  token: string;
  /** The name under which the provider's log shows the session. */
  session: string;
};

/** The URL of an API server, and the authority of its certificate: PEM in base64, absent for a public one. */
export type CloudCluster = { server: string; caData?: string };
/** A token of an account for API servers, with the time at which it ends. */
export type CloudClusterToken = { token: string; expiresAt: string };

/** Accounts at clouds that trust tokens of this installation. A refusal of a cloud is a result, no error. */
export type Clouds = {
  /** Exchanges the token for credentials, verifies the identity with the cloud, and discards them. */
  check(account: CloudAccountSpec, signIn: CloudSignIn): Promise<{ identity: string } | CloudRefusal>;
  /** Looks up a cluster by its name at the provider. */
  findCluster(account: CloudAccountSpec, signIn: CloudSignIn, cluster: string): Promise<CloudCluster | CloudRefusal>;
  /** Makes a token with which the account signs in to the API server of a cluster. */
  createClusterToken(
    account: CloudAccountSpec,
    signIn: CloudSignIn,
    cluster: string,
  ): Promise<CloudClusterToken | CloudRefusal>;
};

/** The servers of the providers; `{region}` is replaced in those of AWS. */
export type CloudEndpoints = {
  awsSts?: string | undefined;
  awsEks?: string | undefined;
  googleSts: string;
  googleIam: string;
  googleContainer: string;
};
