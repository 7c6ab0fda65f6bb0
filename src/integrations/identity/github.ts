import { randomBytes } from 'node:crypto';
import * as openid from 'openid-client';
import { isServiceError, ServiceError } from '../../errors.ts';
import { readGithubIdentity } from './github-api.ts';
import { withErrorStatus } from './with-error-status.ts';
import type { GithubClient, SignInProtocol } from './identity-providers.ts';
import { translateErrors, translateServerErrors } from './provider-error.ts';

/** A person waits for the response. */
const timeoutSeconds = 10;
/** An OAuth app requests these scopes. A GitHub App ignores them, because it has permissions instead. */
const scope = 'user:email read:org';

type Fetch = typeof globalThis.fetch;

/** Signs people in with GitHub's web application flow: authorization code with PKCE and state, then the REST API. */
export function githubProviders({ fetch }: { fetch: Fetch }): SignInProtocol<GithubClient> {
  return {
    async assertUsable(client) {
      if (client.clientSecret === undefined)
        throw unusable('GitHub demands the client secret of the app. Generate one there.', '/clientSecret');
      await translateServerErrors(async () => await assertCredentialsAccepted(client, configure(client, fetch)));
    },

    async startSignIn(client) {
      const checks = {
        state: openid.randomState(),
        // GitHub issues no ID token, so nothing compares it; the cookie has one form for all providers.
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(configure(client, fetch), {
        redirect_uri: client.redirectUri,
        scope,
        state: checks.state,
        code_challenge: await openid.calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },

    async finishSignIn(client, { query, checks }) {
      return await translateErrors(async () => {
        const configuration = configure(client, fetch);
        const callback = new URL(client.redirectUri);
        callback.search = query;
        const tokens = await openid.authorizationCodeGrant(configuration, callback, {
          expectedState: checks.state,
          pkceCodeVerifier: checks.codeVerifier,
        });
        const identity = await readGithubIdentity({ client, configuration, accessToken: tokens.access_token });
        return { ...identity, refreshToken: toSavedToken(tokens) };
      });
    },

    async renew(client, { refreshToken: saved, subject }, saveRefreshToken) {
      try {
        const configuration = configure(client, fetch);
        const known = readSavedToken(saved);
        let accessToken = known.token;
        if (known.refreshToken) {
          const tokens = await translateServerErrors(
            async () => await openid.refreshTokenGrant(configuration, known.token),
          );
          await saveRefreshToken(toSavedToken(tokens));
          accessToken = tokens.access_token;
        }
        const identity = await translateServerErrors(
          async () => await readGithubIdentity({ client, configuration, accessToken }),
        );
        if (identity.subject !== subject)
          throw new ServiceError('sign-in-rejected', 'The code host named another person.');
        return identity;
      } catch (error) {
        if (isServiceError(error) && ['sign-in-rejected', 'identity-not-allowed'].includes(error.reason))
          return 'refused';
        throw error;
      }
    },
  };
}

function configure({ issuer, clientId, clientSecret }: GithubClient, fetch: Fetch): openid.Configuration {
  const base = `${issuer}/login/oauth`;
  const metadata = {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/access_token`,
  };
  const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretPost(clientSecret);
  const configuration = new openid.Configuration(metadata, clientId, undefined, authentication);
  configuration[openid.customFetch] = withErrorStatus(fetch, metadata.token_endpoint) as openid.CustomFetch;
  configuration.timeout = timeoutSeconds;
  // The fetch of the service allows plain http only inside the network, to the addresses that an operator listed.
  if (issuer.startsWith('http:')) openid.allowInsecureRequests(configuration);
  return configuration;
}

/** Exchanges a code that cannot exist: GitHub rejects it only after it has accepted the credentials of the app. */
async function assertCredentialsAccepted(client: GithubClient, configuration: openid.Configuration): Promise<void> {
  const callback = new URL(client.redirectUri);
  callback.searchParams.set('code', randomBytes(10).toString('hex'));
  try {
    await openid.authorizationCodeGrant(configuration, callback);
  } catch (error) {
    if (!(error instanceof openid.ResponseBodyError)) throw error;
    if (error.error === 'bad_verification_code') return;
    if (error.error === 'incorrect_client_credentials')
      throw unusable('GitHub does not accept the client id and secret. Correct them.', '/clientSecret');
    if (error.status === 404) throw unusable('GitHub knows no app with this client id. Correct it.', '/spec/clientId');
    if (error.error === 'redirect_uri_mismatch')
      throw unusable(`The app does not list the callback URL ${client.redirectUri}. Add it there.`, '/name');
    throw error;
  }
  throw unusable('The address does not answer as GitHub. Correct it.', '/spec/issuer');
}

const unusable = (message: string, pointer: string): ServiceError =>
  new ServiceError('identity-provider-unusable', message, { errors: [{ pointer, detail: message }] });

const accessPrefix = 'access ';
const refreshPrefix = 'refresh ';

/** The token of an OAuth app does not expire and has no refresh token, so it is the one to ask with again. */
const toSavedToken = ({ access_token: access, refresh_token: refresh }: openid.TokenEndpointResponse): string =>
  refresh === undefined ? `${accessPrefix}${access}` : `${refreshPrefix}${refresh}`;

const readSavedToken = (saved: string): { refreshToken: boolean; token: string } =>
  saved.startsWith(refreshPrefix)
    ? { refreshToken: true, token: saved.slice(refreshPrefix.length) }
    : { refreshToken: false, token: saved.slice(accessPrefix.length) };
