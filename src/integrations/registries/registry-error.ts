import { findConnectionErrorCode, isServiceError, ServiceError } from '../../errors.ts';

/** The message never contains text of the server, which may be another system of the network. */
export const settingError = (pointer: string, message: string, detail = message): ServiceError =>
  new ServiceError('registry-setting-invalid', message, { errors: [{ pointer, detail }] });

/** Translates an error of a connection to a server that the setting or the registry itself names. */
export function toConnectionError(error: unknown, what: string): ServiceError {
  for (let at = error; at instanceof Error; at = at.cause)
    if (isServiceError(at)) return settingError('/host', `${what} was not asked. ${at.message}`, at.message);
  return settingError('/host', `${what} cannot be reached${describeCode(error)}. Check the host.`, 'cannot be reached');
}

/** A registry that is overloaded says nothing about the settings. */
export function assertAvailable({ status }: Response, host: string): void {
  if (status !== 429 && status < 500) return;
  throw new ServiceError('registry-unavailable', `The registry ${host} is unavailable (${status}). Retry later.`);
}

/** Names the error of the connection, such as ECONNREFUSED. */
function describeCode(error: unknown): string {
  const code = findConnectionErrorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
