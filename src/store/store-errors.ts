import { notFound, ServiceError } from '../errors.ts';
import { systemNamespace, type Kind, type StoredObject } from '../rules/resource.ts';
import type { Ref } from './store.ts';

type KindName = Pick<Kind<StoredObject>, 'kind'>;

function describeNamespace(namespace: string): string {
  if (namespace === systemNamespace) return 'the installation';
  return namespace.startsWith('org-') ? `org "${namespace.slice('org-'.length)}"` : `namespace "${namespace}"`;
}

export function notFoundError({ kind }: KindName, { namespace, name }: Ref): ServiceError {
  return notFound(kind, name, describeNamespace(namespace));
}

export function nameTakenError({ kind }: KindName, { namespace, name }: Ref): ServiceError {
  return new ServiceError(
    'already-exists',
    `${kind} "${name}" already exists in ${describeNamespace(namespace)}. Choose another name.`,
  );
}

export function staleVersionError({ kind }: KindName, { namespace, name }: Ref): ServiceError {
  return new ServiceError(
    'stale-version',
    `${kind} "${name}" in ${describeNamespace(namespace)} has changed since it was read. Read it again and retry with its resourceVersion.`,
  );
}

export function invalidPageError(cause: string): ServiceError {
  return new ServiceError('expired-page', `This page cannot be read: ${cause}. List again from the first page.`, {
    errors: [{ pointer: '?continue', detail: cause }],
  });
}
