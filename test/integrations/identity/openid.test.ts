import { expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors.ts';
import { createIdentityProviders } from '../../../src/integrations/identity/create-identity-providers.ts';
import type { OpenIdClient } from '../../../src/integrations/identity/identity-providers.ts';
import { fetchWithTimeout } from '../../../src/integrations/network/fetch-with-timeout.ts';
import { startHostileProvider } from '../../support/servers/hostile-openid-provider.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';

const fetch = fetchWithTimeout({
  timeoutMs: 10_000,
  bytesMax: 1024 * 1024,
  dispatcher: createTestDispatcher('127.0.0.1'),
});
const providers = createIdentityProviders({ fetch });
const encode = (text: string): string => Buffer.from(text).toString('base64url');

it('blames the provider for an ID token that is no JSON, without its text', async () => {
  const idToken = [encode('a header'), encode('claims'), encode('a signature')].join('.');
  const { issuer, answer } = await startHostileProvider();
  const client: OpenIdClient = {
    type: 'openid',
    issuer,
    clientId: 'delivery',
    clientSecret: 'the secret',
    scopes: undefined,
    groupsClaim: 'groups',
    redirectUri: 'http://localhost:8080/callback',
  };
  const { checks } = await providers.startSignIn(client);
  answer.nonce = checks.nonce;
  answer.idToken = async () => idToken;
  const query = `?code=one&state=${checks.state}&iss=${encodeURIComponent(issuer)}`;
  const error = await providers.finishSignIn(client, { query, checks }).catch((thrown: unknown) => thrown);
  expect(isServiceError(error) && error.reason, String(error)).toBe('identity-provider-unavailable');
  expect(String(error)).not.toContain(idToken);
});
