import { findConnectionErrorCode, isServiceError, ServiceError } from '../../errors.ts';

/** The message never contains text of the server, which may be another system of the network. */
export const settingError = (message: string, detail: string): ServiceError =>
  new ServiceError('cluster-setting-invalid', message, { errors: [{ pointer: '/kubeconfig', detail }] });

/** Translates an error of a connection to the API server that a kubeconfig names. */
export function toConnectionError(error: unknown, server: string): ServiceError {
  const causes = listCauses(error);
  const refusal = causes.find((cause) => isServiceError(cause));
  if (refusal)
    return settingError(
      `The API server ${server} was not asked. ${refusal.message}`,
      `clusters[0].cluster.server: ${refusal.message}`,
    );
  const code = findConnectionErrorCode(error);
  if (code !== undefined && /CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/.test(code))
    return settingError(
      `The certificate of the API server ${server} is not trusted (${code}). Add the authority that signed it.`,
      'clusters[0].cluster.certificate-authority-data: must be the authority that signed the certificate of the server',
    );
  return settingError(
    `The API server ${server} cannot be reached${code === undefined ? '' : ` (${code})`}. Check the address.`,
    'clusters[0].cluster.server: cannot be reached',
  );
}

function listCauses(error: unknown): Error[] {
  return error instanceof Error ? [error, ...listCauses(error.cause)] : [];
}
