import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import * as openid from 'openid-client';
import { ServiceError } from '../../errors.ts';
import { isClaimElsewhere } from '../../rules/access/is-claim-elsewhere.ts';
import { readEmailClaims } from '../../rules/access/read-email-claims.ts';
import { readGroupsClaim } from '../../rules/access/read-groups-claim.ts';
import type { OpenIdClient, RenewedIdentity, SignInProtocol } from './identity-providers.ts';
import { otherIssuer, translateErrors, translateServerErrors } from './provider-error.ts';

/** Providers change their endpoints rarely; the library fetches keys that it does not know by itself. */
const discoveryTtlMs = 60 * 60_000;
const providersMax = 100;
/** A person waits for the response. */
const timeoutSeconds = 10;
const clockToleranceSeconds = 30;
const defaultScopes = ['email', 'profile', 'groups', 'offline_access'];

type Claims = Record<string, unknown> & { sub: string };
type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
type Issued = { refreshToken?: string };

/** Signs people in with OpenID Connect: authorization code with PKCE, state and nonce, and verified ID tokens. */
export function openidProviders({ fetch }: { fetch: typeof globalThis.fetch }): SignInProtocol<OpenIdClient> {
  const known = new LRUCache<string, Promise<openid.Configuration>>({ max: providersMax, ttl: discoveryTtlMs });
  const discover = async (client: OpenIdClient): Promise<openid.Configuration> => {
    const key = JSON.stringify([client.issuer, client.clientId, client.clientSecret]);
    const kept = known.get(key);
    if (kept) return await kept;
    const configuration = discoverProvider(client, fetch);
    known.set(key, configuration);
    // A failure is not kept.
    configuration.catch(() => known.delete(key));
    return await configuration;
  };
  return {
    async assertUsable(client) {
      await discoverProvider(client, fetch);
    },

    async startSignIn(client) {
      return await translateErrors(async () => {
        const configuration = await discover(client);
        const checks = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          codeVerifier: openid.randomPKCECodeVerifier(),
        };
        const url = openid.buildAuthorizationUrl(configuration, {
          redirect_uri: client.redirectUri,
          scope: toScope(client, configuration),
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, checks };
      });
    },

    async finishSignIn(client, { query, checks }) {
      return await translateErrors(async () => {
        const configuration = await discover(client);
        const callback = new URL(client.redirectUri);
        callback.search = query;
        const tokens = await openid.authorizationCodeGrant(configuration, callback, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new TypeError('The library returned no claims.');
        const { groups = [], ...identity } = await toIdentity({ client, configuration, tokens, claims });
        return { ...identity, groups, refreshToken: tokens.refresh_token };
      });
    },

    async renew(client, { refreshToken, subject }, saveRefreshToken) {
      try {
        const configuration = await discover(client);
        const issued: Issued = {};
        const granted = currentGrant.run(
          issued,
          async () => await openid.refreshTokenGrant(configuration, refreshToken),
        );
        await granted.catch(() => undefined);
        // The token that was used may be invalid now, also if the library cannot verify the response.
        if (issued.refreshToken !== undefined) await saveRefreshToken(issued.refreshToken);
        const tokens = await translateServerErrors(async () => await granted);
        return await translateServerErrors(async () => {
          const idClaims: Claims | undefined = tokens.claims();
          const claims = idClaims ?? { sub: subject };
          if (claims.sub !== subject) throw new ServiceError('sign-in-rejected', 'The provider named another person.');
          const { groups, ...identity } = await toIdentity({ client, configuration, tokens, claims });
          // The response needs no ID token (OpenID Connect Core, section 12.2), which may alone contain the groups.
          return { ...identity, groups: groups ?? (idClaims && []) };
        });
      } catch (error) {
        if (error instanceof ServiceError && error.reason === 'sign-in-rejected') return 'refused';
        throw error;
      }
    },
  };
}

const currentGrant = new AsyncLocalStorage<Issued>();

/** Records the refresh token of a response for the grant that asked for it: the library returns none if it then fails. */
const recordIssued =
  (fetch: typeof globalThis.fetch): openid.CustomFetch =>
  async (url, options) => {
    const response = await fetch(url, options as RequestInit);
    const grant = currentGrant.getStore();
    if (!grant || options.method !== 'POST' || !response.ok) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const token = (body as { refresh_token?: unknown } | undefined)?.refresh_token;
    if (typeof token === 'string') grant.refreshToken = token;
    return response;
  };

async function discoverProvider(client: OpenIdClient, fetch: typeof globalThis.fetch): Promise<openid.Configuration> {
  const issuer = new URL(client.issuer);
  // The fetch of the service allows plain http only inside the network, to the addresses that an operator listed.
  const execute = issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
  const options = { [openid.customFetch]: recordIssued(fetch), timeout: timeoutSeconds, execute };
  const discovered = await translateServerErrors(
    async () => await openid.discovery(issuer, client.clientId, undefined, openid.None(), options),
  );
  const metadata = discovered.serverMetadata();
  if (metadata.issuer !== client.issuer) throw otherIssuer(metadata.issuer);
  if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
    throw new ServiceError(
      'identity-provider-unusable',
      'The provider does not offer the authorization code flow. Use another provider.',
    );
  const authentication = chooseAuthentication(client, metadata.token_endpoint_auth_methods_supported);
  const own = { [openid.clockTolerance]: clockToleranceSeconds };
  const configuration = new openid.Configuration(metadata, client.clientId, own, authentication);
  configuration[openid.customFetch] = options[openid.customFetch];
  configuration.timeout = timeoutSeconds;
  for (const extension of execute) extension(configuration);
  // The library trusts TLS by default; a signature also holds when a proxy ends it.
  openid.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** OpenID Connect defines `client_secret_basic` as the default of providers that list no methods. */
function chooseAuthentication({ clientSecret }: OpenIdClient, methods: string[] = ['client_secret_basic']) {
  if (clientSecret === undefined) return openid.None();
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? openid.ClientSecretBasic(clientSecret)
    : openid.ClientSecretPost(clientSecret);
}

function toScope({ scopes }: OpenIdClient, configuration: openid.Configuration): string {
  const supported = configuration.serverMetadata().scopes_supported ?? ['email', 'profile'];
  const wanted = scopes ?? defaultScopes.filter((scope) => supported.includes(scope));
  return [...new Set(['openid', ...wanted])].join(' ');
}

type Answer = { client: OpenIdClient; configuration: openid.Configuration; tokens: Tokens; claims: Claims };

/** Reads the identity from the claims; its groups are undefined when no claim names them. */
async function toIdentity({ client, configuration, tokens, claims: idClaims }: Answer): Promise<RenewedIdentity> {
  // Providers may put the address and the groups in the ID token, in the userinfo response, or in both.
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const userInfo = hasUserInfo
    ? await openid.fetchUserInfo(configuration, tokens.access_token, idClaims.sub)
    : undefined;
  const claims: Claims = { ...idClaims, ...userInfo };
  if (isClaimElsewhere(claims, client.groupsClaim))
    throw new ServiceError(
      'sign-in-rejected',
      `The person is in too many groups: the provider does not send the claim "${client.groupsClaim}". An admin of the provider has to limit it to the groups that count here.`,
    );
  const claim = claims[client.groupsClaim];
  const groups = readGroupsClaim(claim);
  if (groups === undefined)
    throw new ServiceError(
      'sign-in-rejected',
      `The claim "${client.groupsClaim}" of the provider is not a list of at most 1000 texts. An admin of the provider has to correct it.`,
    );
  return {
    subject: idClaims.sub,
    ...readEmailClaims(userInfo, idClaims),
    groups: claim === undefined ? claim : groups,
  };
}
