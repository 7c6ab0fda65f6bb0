import * as openid from 'openid-client';
import { ServiceError } from '../../errors.ts';

type Unverified = (code: string) => ServiceError;

/** Calls the library, and translates its failures. A response that does not verify refuses the sign-in. */
export const translateErrors = async <T>(call: () => Promise<T>): Promise<T> =>
  await translate(call, (code) => rejected(`(${code})`));

/**
 * Calls the library where only the provider has a part. A response that does not verify is then a failure of the provider,
 * such as a key that it does not publish yet, and says nothing about a person.
 */
export const translateServerErrors = async <T>(call: () => Promise<T>): Promise<T> =>
  await translate(call, (code) =>
    unavailable(`The identity provider sent a response that does not verify (${code}). Try again later.`),
  );

async function translate<T>(call: () => Promise<T>, toUnverified: Unverified): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toProviderError(error, toUnverified);
  }
}

/** Translates a failure of the library. Its texts are not shown, because they can contain what the provider sent. */
function toProviderError(error: unknown, toUnverified: Unverified): unknown {
  if (error instanceof ServiceError) return error;
  const destination = findDestinationError(error);
  if (destination) return new ServiceError('identity-provider-unusable', destination.message);
  if (error instanceof openid.AuthorizationResponseError) return rejected(`(${toCode(error.error)})`);
  if (error instanceof openid.ResponseBodyError) return fromTokenEndpoint(error);
  if (error instanceof openid.ClientError) return fromClientError(error, toUnverified);
  if (error instanceof openid.WWWAuthenticateChallengeError)
    return error.cause.some(({ scheme }) => scheme === 'basic')
      ? clientRefused()
      : unavailable('The identity provider did not return your profile. Sign in again.');
  // The library throws it for an issuer in a configuration that is no URL.
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL')
    return toUnverified(error.code);
  // The library throws a TypeError for a request that fails, as `fetch` does.
  if (error instanceof TypeError && error.message === 'fetch failed')
    return unavailable('The identity provider cannot be reached. Try again later.');
  return error;
}

/** The provider chooses its name, so a part of a long one is shown. */
export const otherIssuer = (issuer: string): ServiceError =>
  new ServiceError(
    'identity-provider-unusable',
    `The provider calls itself "${issuer.slice(0, 500)}". Use exactly that as the issuer.`,
  );

/** Returns the issuer of a configuration that is not of the issuer it was read from. */
function findOtherIssuer(cause: unknown): string | undefined {
  const { attribute, body } = (cause ?? {}) as { attribute?: string; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? body.issuer : undefined;
}

const rejected = (code: string): ServiceError =>
  new ServiceError('sign-in-rejected', `The identity provider did not sign you in ${code}. Sign in again.`);

const unavailable = (message: string): ServiceError => new ServiceError('identity-provider-unavailable', message);

/** GitHub answers 404 for a client id that it does not know. */
const clientErrors = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials', 'Not Found'];

const clientRefused = (): ServiceError =>
  unavailable(
    'The identity provider does not accept the client id and secret of this installation. A platform admin has to correct them.',
  );

/** Only codes of the form that OAuth registers are shown. */
const toCode = (code: string): string => (/^[a-z_]{1,60}$/i.test(code) ? code : 'unknown error');

function fromTokenEndpoint({ error, status }: openid.ResponseBodyError): ServiceError {
  if (clientErrors.includes(error)) return clientRefused();
  if (error === 'redirect_uri_mismatch')
    return unavailable(
      'The identity provider does not accept the redirect URL of this installation. A platform admin has to register it there.',
    );
  if (error === 'unverified_user_email')
    return new ServiceError(
      'identity-not-allowed',
      'The code host has not verified your e-mail address. Verify the address there, then sign in again.',
    );
  if (status === 429 || error === 'temporarily_unavailable' || error === 'server_error')
    return unavailable('The identity provider reported an error. Try again later.');
  return rejected(`(${toCode(error)})`);
}

function fromClientError({ code = '', cause }: openid.ClientError, toUnverified: Unverified): ServiceError {
  const isAway = code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || !code;
  if (isAway) return unavailable('The identity provider does not answer. Try again later.');
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_RESPONSE_IS_NOT_JSON' || code === 'OAUTH_PARSE_ERROR')
    return unavailable(
      `The identity provider sent an unexpected response${cause instanceof Response ? ` with status ${cause.status}` : ''}. Try again later.`,
    );
  const issuer = findOtherIssuer(cause);
  return issuer === undefined ? toUnverified(code) : otherIssuer(issuer);
}

/** The refusal to connect is the cause of the error that the library throws, possibly at some depth. */
function findDestinationError(error: unknown): ServiceError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ServiceError) return cause;
  return undefined;
}
