import { invalid, notFound, ServiceError } from '../errors.ts';
import { systemNamespace, type Kind, type StoredObject } from '../rules/resource.ts';
import type { Ref } from './store.ts';

type Named = Pick<Kind<StoredObject>, 'kind'>;

function place(namespace: string): string {
  if (namespace === systemNamespace) return 'the installation';
  return namespace.startsWith('org-') ? `org "${namespace.slice('org-'.length)}"` : `namespace "${namespace}"`;
}

export function missing({ kind }: Named, { namespace, name }: Ref): ServiceError {
  return notFound(kind, name, place(namespace));
}

export function nameTaken({ kind }: Named, { namespace, name }: Ref): ServiceError {
  return new ServiceError('conflict', `${kind} "${name}" already exists in ${place(namespace)}. Choose another name.`);
}

export function stale({ kind }: Named, { namespace, name }: Ref): ServiceError {
  return new ServiceError(
    'conflict',
    `${kind} "${name}" in ${place(namespace)} has changed since it was read. Read it again and retry with its resourceVersion.`,
  );
}

export function unusablePage(why: string): ServiceError {
  return invalid(`This page cannot be read: ${why}. List again from the start.`, [
    { pointer: '?continue', detail: why },
  ]);
}
