import { createHmac } from 'node:crypto';
import { apiVersion, type StoredObject } from '../resource.ts';
import type { AuditedChange, AuditField } from './entry.ts';
import { flatten, isSecretName, shorten, toShownText, type Scalar } from './flatten.ts';

const fieldsMax = 100;

/** One write of an object. Without `before` it was created, and without `after` it was deleted, unless the store did not say. */
export type Write = {
  action: AuditedChange['action'];
  kind: string;
  name: string;
  namespace: string;
  before?: StoredObject | undefined;
  after?: StoredObject | undefined;
};

/** Describes which fields a write changed. Values of secrets are replaced by fingerprints that need the key. */
export function describeChange(write: Write, fingerprintKey: Uint8Array): AuditedChange {
  const [before, after] = [write.before, write.after].map((object) => listValues(write, object, fingerprintKey));
  const fields = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
    .map((field) => ({ field, old: before?.get(field), current: after?.get(field) }))
    // The shown texts can be equal although the values differ.
    .filter(({ old, current }) => old?.value !== current?.value)
    .map(({ field, old, current }): AuditField => ({
      field: shorten(field, 300),
      ...(old && { before: old.shown }),
      ...(current && { after: current.shown }),
    }));
  const { kind, name, action } = write;
  const omitted = fields.length - fieldsMax;
  return {
    kind,
    name,
    action,
    fields: fields.slice(0, fieldsMax),
    ...(omitted > 0 && { omittedFields: omitted }),
  };
}

/** The parts of an object that people or the service set. Its metadata changes with every write. */
const parts = ['spec', 'status', 'data', 'binaryData', 'stringData'] as const;
type Parts = Partial<Record<(typeof parts)[number], unknown>>;

type ShownValue = { value: Scalar; shown: Scalar };

function listValues(write: Write, object: StoredObject | undefined, key: Uint8Array): Map<string, ShownValue> {
  // Only the service's own kinds are known to hold secrets in fields of telling names, if at all.
  const isOwn = object?.apiVersion === apiVersion;
  const leaves = parts.flatMap((part) => flatten((object as Parts | undefined)?.[part], part));
  return new Map(
    leaves.map(({ field, name, value }): [string, ShownValue] => {
      const isSecret = !isOwn || isSecretName(name);
      if (typeof value !== 'string') return [field, { value, shown: value }];
      return [field, { value, shown: isSecret ? fingerprint(write, [field, value], key) : toShownText(name, value) }];
    }),
  );
}

/**
 * The fingerprint depends on the place of the secret, so that the same password of two people has two. Without the key,
 * the fingerprints of likely passwords cannot be computed.
 */
function fingerprint({ kind, namespace, name }: Write, [field, value]: [string, string], key: Uint8Array): string {
  const text = JSON.stringify([kind, namespace, name, field, value]);
  return `fingerprint ${createHmac('sha256', key).update(text).digest('hex').slice(0, 16)}`;
}
