import type { CloudAccountSpec } from './kinds.ts';

/** The path under the public URL that is the issuer; its discovery document and its keys are below it. */
export const issuerPath = '/api/v1/cloud-identity/oidc';

export const toIssuer = (publicUrl: string): string => `${publicUrl}${issuerPath}`;
export const toKeysUrl = (issuer: string): string => `${issuer}/jwks`;

/** Names an org in the trust policies of clouds. */
export const toSubject = (org: string): string => `org:${org}`;

export const awsAudience = 'sts.amazonaws.com';

/** Returns the audience of a token, which the provider compares with its own settings. */
export const toAudience = ({ provider, workloadIdentityProvider = '' }: CloudAccountSpec): string =>
  provider === 'aws' ? awsAudience : toGoogleAudience(workloadIdentityProvider);

/** Google accepts the full name of the provider unless another audience is configured there. */
export const toGoogleAudience = (workloadIdentityProvider: string): string =>
  `https://iam.googleapis.com/${workloadIdentityProvider}`;

/** A token is exchanged at once, so it needs no more than a few minutes for clocks that differ. */
export const tokenLifetimeMs = 5 * 60_000;

/** A public key as a JSON Web Key. */
export type PublicKey = { kty: 'RSA'; kid: string; use: 'sig'; alg: 'RS256'; n: string; e: string };

/** The identity with which an installation signs in to clouds. Its private keys do not leave the process. */
export type CloudIdentity = {
  issuer: string;
  /** Returns the public keys to publish. */
  listPublicKeys(): Promise<PublicKey[]>;
  /** Signs a token that lives for minutes. It must reach only the provider, and no log, view or record. */
  signToken(claims: { org: string; audience: string }): Promise<string>;
};
