import { invalid, ServiceError, type FieldError } from '../errors.ts';
import { NamespaceKind, SecretKind } from '../kinds/kubernetes.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';
import type { NewObject } from './store.ts';

/** The request limit of etcd applies to every store, so that any object can be moved to a cluster. */
const objectBytesMax = 1.5 * 1024 * 1024;

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const word = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const dataKey = /^[-._A-Za-z0-9]{1,253}$/;

/** Applies the checks that Kubernetes runs on every kind, so that both stores accept the same objects. */
export function assertValidObject(kind: Kind<StoredObject>, object: NewObject<StoredObject>): void {
  const errors = [
    ...listNameErrors(kind, object.metadata),
    ...listMetadataErrors(object.metadata),
    ...listDataErrors(kind, object),
  ];
  const [first] = errors;
  if (first) {
    throw invalid(`${kind.kind} "${object.metadata.name}" is not valid: ${first.pointer} ${first.detail}.`, errors);
  }
}

export function assertObjectSize(kind: { kind: string }, name: string, text: string): void {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= objectBytesMax) return;
  throw new ServiceError(
    'too-large',
    `${kind.kind} "${name}" has ${sizeBytes} bytes; the maximum is ${objectBytesMax}. Make it smaller or split it.`,
  );
}

/** Accepts the key of a label or annotation: a name, with an optional host name and slash before it. */
export function isQualifiedName(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').toReversed();
  const prefixFits = prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
  return more.length === 0 && prefixFits && name.length <= 63 && word.test(name);
}

export const isLabelValue = (value: string): boolean => value === '' || (value.length <= 63 && word.test(value));

/** A Namespace itself is in no namespace. */
const isClusterScoped = ({ kind }: Kind<StoredObject>): boolean => kind === NamespaceKind.kind;

function listNameErrors(
  kind: Kind<StoredObject>,
  { name, namespace }: { name: string; namespace: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof name !== 'string' || name.length > 253 || !subdomain.test(name)) {
    errors.push({
      pointer: '/metadata/name',
      detail:
        'must be lowercase letters, digits, "-" and ".", start and end with a letter or digit, and have at most 253 characters',
    });
  }
  if (isClusterScoped(kind) && namespace === '') return errors;
  if (typeof namespace !== 'string' || namespace.length > 63 || !label.test(namespace)) {
    errors.push({
      pointer: '/metadata/namespace',
      detail:
        'must be lowercase letters, digits and "-", start and end with a letter or digit, and have at most 63 characters',
    });
  }
  return errors;
}

function listMetadataErrors(metadata: NewObject<StoredObject>['metadata']): FieldError[] {
  const keyDetail =
    'must have a key of letters, digits, "-", "_" and ".", at most 63 characters, optionally after a host name and "/"';
  const valueDetail = 'must have a value of letters, digits, "-", "_" and ".", at most 63 characters';
  const labels = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    const pointer = `/metadata/labels/${escapePointer(key)}`;
    if (!isQualifiedName(key)) return [{ pointer, detail: keyDetail }];
    return isLabelValue(value) ? [] : [{ pointer, detail: valueDetail }];
  });
  const annotations = Object.keys(metadata.annotations ?? {})
    .filter((key) => !isQualifiedName(key))
    .map((key) => ({ pointer: `/metadata/annotations/${escapePointer(key)}`, detail: keyDetail }));
  const finalizers = (metadata.finalizers ?? []).flatMap((finalizer, index) =>
    isQualifiedName(finalizer)
      ? []
      : [
          {
            pointer: `/metadata/finalizers/${index}`,
            detail: 'must be a host name, optionally followed by "/" and a name',
          },
        ],
  );
  return [...labels, ...annotations, ...finalizers];
}

/** Checks the `data` of Secrets and ConfigMaps. */
function listDataErrors(kind: Kind<StoredObject>, object: object): FieldError[] {
  if (kind.apiVersion !== SecretKind.apiVersion) return [];
  const { data = {}, binaryData = {} } = object as {
    data?: Record<string, string>;
    binaryData?: Record<string, string>;
  };
  const encoded = kind.kind === SecretKind.kind ? { data } : { binaryData };
  const keys = Object.entries({ data, binaryData }).flatMap(([field, values]) =>
    Object.keys(values)
      .filter((key) => !dataKey.test(key))
      .map((key) => ({
        pointer: `/${field}/${escapePointer(key)}`,
        detail: 'must have a key of letters, digits, "-", "_" and "."',
      })),
  );
  const values = Object.entries(encoded).flatMap(([field, entries]) =>
    Object.entries(entries)
      .filter(([, value]) => !base64.test(value))
      .map(([key]) => ({ pointer: `/${field}/${escapePointer(key)}`, detail: 'must be base64' })),
  );
  return [...keys, ...values];
}

const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
