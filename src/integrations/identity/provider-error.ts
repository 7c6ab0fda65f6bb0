import * as openid from 'openid-client';
import { ServiceError } from '../../errors.ts';

/** Calls the library, and translates its failures. */
export async function translateErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toProviderError(error);
  }
}

/** Translates a failure of the library. Its texts are not shown, because they can contain what the provider sent. */
function toProviderError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const destination = findDestinationError(error);
  if (destination) return new ServiceError('identity-provider-unusable', destination.message);
  if (error instanceof openid.AuthorizationResponseError) return rejected(`(${toCode(error.error)})`);
  if (error instanceof openid.ResponseBodyError) return fromTokenEndpoint(error);
  if (error instanceof openid.ClientError) return fromClientError(error);
  if (error instanceof openid.WWWAuthenticateChallengeError)
    return error.cause.some(({ scheme }) => scheme === 'basic')
      ? clientRefused()
      : unavailable('The identity provider did not return your profile. Sign in again.');
  // The library throws a TypeError for a request that fails, as `fetch` does.
  if (error instanceof TypeError && error.message === 'fetch failed')
    return unavailable('The identity provider cannot be reached. Try again later.');
  return error;
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

function fromClientError({ code = '', cause }: openid.ClientError): ServiceError {
  const isAway = code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || !code;
  if (isAway) return unavailable('The identity provider does not answer. Try again later.');
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || code === 'OAUTH_RESPONSE_IS_NOT_JSON' || code === 'OAUTH_PARSE_ERROR')
    return unavailable(
      `The identity provider sent an unexpected response${cause instanceof Response ? ` with status ${cause.status}` : ''}. Try again later.`,
    );
  return rejected(`(${code})`);
}

/** The refusal to connect is the cause of the error that the library throws, possibly at some depth. */
function findDestinationError(error: unknown): ServiceError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ServiceError) return cause;
  return undefined;
}
