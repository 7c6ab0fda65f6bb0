import type { Identity } from '../../rules/access/identity-violation.ts';

type Registration = {
  /** For GitHub, its web address. */
  issuer: string;
  clientId: string;
  /** Absent for a public client, which PKCE alone protects. */
  clientSecret: string | undefined;
  /** The URL of this installation that the provider redirects browsers to. */
  redirectUri: string;
};

/** This installation as a client of an OpenID provider. */
export type OpenIdClient = Registration & {
  type: 'openid';
  scopes: readonly string[] | undefined;
  groupsClaim: string;
};

/** This installation as an OAuth app or a GitHub App of a code host. */
export type GithubClient = Registration & {
  type: 'github';
  /** The organizations whose members may sign in; absent for all. */
  organizations: readonly string[] | undefined;
};

/** The values that bind a response of the provider to the browser that started to sign in. */
export type SignInChecks = { state: string; nonce: string; codeVerifier: string };

/** An identity, with the token to ask the provider for it again, if it issues one. */
export type SignedInIdentity = Identity & { refreshToken: string | undefined };

/** An identity that was asked for again. Its groups are undefined when the provider names them only at a sign-in. */
export type RenewedIdentity = Omit<Identity, 'groups'> & { groups: string[] | undefined };

/** Speaks the protocol of identity providers. A refusal is a `ServiceError`, whose text contains no secret, code or token. */
export type SignInProtocol<Client> = {
  /** Throws when the provider is not one that the service can use. */
  assertUsable: (client: Client) => Promise<void>;
  startSignIn: (client: Client) => Promise<{ url: string; checks: SignInChecks }>;
  /** Exchanges the code in the query of the callback. */
  finishSignIn: (client: Client, response: { query: string; checks: SignInChecks }) => Promise<SignedInIdentity>;
  /**
   * Asks the provider again; `refused` when it no longer lets the person in. Passes on another refresh token before it
   * reads the identity, because a provider may end everything when the one before is used again.
   */
  renew: (
    client: Client,
    known: { refreshToken: string; subject: string },
    saveRefreshToken: (refreshToken: string) => Promise<void>,
  ) => Promise<RenewedIdentity | 'refused'>;
};

export type ProviderClient = OpenIdClient | GithubClient;
export type IdentityProviders = SignInProtocol<ProviderClient>;
