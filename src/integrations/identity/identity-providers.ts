import type { Identity } from '../../rules/access/identity-violation.ts';

/** This installation as a client of an OpenID provider. */
export type OpenIdClient = {
  issuer: string;
  clientId: string;
  /** Absent for a public client, which PKCE alone protects. */
  clientSecret: string | undefined;
  scopes: readonly string[] | undefined;
  groupsClaim: string;
  /** The URL of this installation that the provider redirects browsers to. */
  redirectUri: string;
};

/** The values that bind a response of the provider to the browser that started to sign in. */
export type SignInChecks = { state: string; nonce: string; codeVerifier: string };

/** An identity, with the token to ask the provider for it again, if it issues one. */
export type SignedInIdentity = Identity & { refreshToken: string | undefined };

/** Speaks OpenID Connect. A refusal is a `ServiceError`, whose text contains no secret, code or token. */
export type IdentityProviders = {
  /** Throws when the issuer is not an OpenID provider that the service can use. */
  assertUsable: (client: OpenIdClient) => Promise<void>;
  startSignIn: (client: OpenIdClient) => Promise<{ url: string; checks: SignInChecks }>;
  /** Exchanges the code in the query of the callback. */
  finishSignIn: (client: OpenIdClient, response: { query: string; checks: SignInChecks }) => Promise<SignedInIdentity>;
  /** Asks the provider again; `refused` when it no longer lets the person in. */
  renew: (
    client: OpenIdClient,
    known: { refreshToken: string; subject: string },
  ) => Promise<SignedInIdentity | 'refused'>;
};
