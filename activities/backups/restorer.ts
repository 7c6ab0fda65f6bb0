import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { ArchiveEntry } from '../../src/integrations/backups/archive-format.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { ConfigMapKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { decisionKeyName, formerDecisionKeyLabels } from '../../src/rules/access/decision-keys.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { findArchivedKind, isArchivable, isOfCluster } from '../../src/rules/backups/archived-objects.ts';
import type { Counts } from '../../src/rules/backups/kinds.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { InstallationKind } from '../../src/rules/installation/kinds.ts';
import { type Kind, restoredUidAnnotation, type StoredObject, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { blobsFolder, objectsFolder } from './entry-names.ts';

type AnyObject = StoredObject & { spec?: unknown; status?: unknown; data?: unknown };
type Outcome = 'missing' | 'exists' | 'conflict';
type Finding = { what: keyof Counts; outcome: Outcome; name: string };

/** Checks and restores the entries of an archive one by one; entries that exist already stay as they are. */
export function createRestorer({ store, blobs }: { store: Store; blobs: Blobs }): {
  check(entry: ArchiveEntry): Promise<Finding>;
  restore(entry: ArchiveEntry): Promise<keyof Counts>;
} {
  /** The new uids of objects whose store does not keep them, by those in the archive. Uids are unique, wherever they occur in a text. */
  const uids = new Map<string, string>();
  /** The names of Users who are other people than those of the archive: an address can have a new owner. */
  const otherPeople = new Set<string>();
  const replaceUids = (text: string): string => text.replace(uuidPattern, (uid) => uids.get(uid) ?? uid);
  let blobKeys: Promise<Set<string>> | undefined;
  const hasBlob = async (key: string): Promise<boolean> => {
    blobKeys ??= blobs.list('').then((keys) => new Set(keys));
    return (await blobKeys).has(key);
  };
  const rememberUid = ({ metadata: { uid: before } }: StoredObject, { metadata: { uid } }: StoredObject): void => {
    if (before !== uid) uids.set(before, uid);
  };
  const rememberPerson = (archived: AnyObject, existing: AnyObject): void => {
    if (archived.kind === UserKind.kind && !isSame(archived, existing)) otherPeople.add(archived.metadata.name);
  };
  /** The password of a person is in the Secret of the User's name. */
  const isPasswordOfOther = ({ kind, metadata: { namespace, name } }: AnyObject): boolean =>
    kind === SecretKind.kind && namespace === systemNamespace && otherPeople.has(name);

  return {
    async check(entry) {
      const key = findBlobKey(entry);
      if (key !== undefined)
        return { what: 'blobs', outcome: (await hasBlob(key)) ? 'exists' : 'missing', name: `blob ${key}` };
      const { object, kind } = parseObject(entry);
      const { namespace, name } = object.metadata;
      const existing = await store.find<AnyObject>(kind, object.metadata);
      if (existing) rememberPerson(object, existing);
      const outcome = isOfCluster(object) || isPasswordOfOther(object) ? 'exists' : compare(object, existing);
      return { what: 'resources', outcome, name: `${kind.kind} ${namespace}/${name}` };
    },

    async restore(entry) {
      const key = findBlobKey(entry);
      if (key !== undefined) {
        const restoredKey = replaceUids(key);
        if (!(await hasBlob(restoredKey))) await blobs.put(restoredKey, entry.bytes);
        return 'blobs';
      }
      const { object: archived, kind } = parseObject(entry);
      // Earlier versions archived these too.
      if (isOfCluster(archived) || isPasswordOfOther(archived)) return 'resources';
      const object = JSON.parse(replaceUids(JSON.stringify(archived))) as AnyObject;
      // The object keeps its own uid where the store can.
      object.metadata.uid = archived.metadata.uid;
      try {
        rememberUid(archived, await store.restore(kind, object));
      } catch (error) {
        if (!isServiceError(error, 'conflict')) throw error;
        const existing = await store.get<AnyObject>(kind, object.metadata);
        rememberUid(archived, existing);
        rememberPerson(archived, existing);
        if (isFirstInstallation(existing)) await store.replace<AnyObject>(kind, { ...existing, spec: object.spec });
      }
      return 'resources';
    },
  };
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const findBlobKey = ({ name }: ArchiveEntry): string | undefined =>
  name.startsWith(blobsFolder) ? name.slice(blobsFolder.length) : undefined;

/** Users and settings that exist before the restore are kept. */
const isKeptAsItIs = ({ kind, metadata }: StoredObject): boolean =>
  metadata.namespace === systemNamespace && [UserKind.kind, SecretKind.kind, InstallationKind.kind].includes(kind);

/** The first start creates the settings of the installation, which are those of the archive until a person changes them. */
const isFirstInstallation = ({ kind, metadata }: StoredObject): boolean =>
  kind === InstallationKind.kind && metadata.generation === 1;

function compare(archived: AnyObject, existing: AnyObject | undefined): Outcome {
  if (!existing) return 'missing';
  return isSame(archived, existing) || isKeptAsItIs(archived) ? 'exists' : 'conflict';
}

const isSame = (archived: AnyObject, existing: AnyObject): boolean =>
  existing.metadata.uid === archived.metadata.uid ||
  existing.metadata.annotations?.[restoredUidAnnotation] === archived.metadata.uid ||
  isDeepStrictEqual(toContent(existing), toContent(archived));

/** Objects without a spec, such as reservations, are compared by their content. */
const toContent = ({ metadata, spec, data, ...object }: AnyObject & { binaryData?: unknown }): object =>
  spec === undefined ? { data, binaryData: object.binaryData, labels: metadata.labels } : { uid: metadata.uid };

const ArchivedObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string(), uid: z.string() }),
});

/** The names of entries decide nothing: an object is what it says, and must be one that the service archives. */
function parseObject({ name, bytes }: ArchiveEntry): { object: AnyObject; kind: Kind<StoredObject> } {
  const parsed = ArchivedObject.safeParse(parseJson(bytes));
  const object = parsed.data as AnyObject | undefined;
  const kind = object && findArchivedKind(object)?.kind;
  if (!name.startsWith(objectsFolder) || !object || !kind || !isArchivable(object))
    throw new ServiceError(
      'archive-refused',
      `The archive contains "${name}", which no backup has. Nothing was written.`,
    );
  const schemas = customResourceKinds.find((one) => one.kind === kind.kind && one.apiVersion === kind.apiVersion);
  const violation = schemas && findViolation(object, schemas);
  if (violation !== undefined)
    throw new ServiceError(
      'archive-refused',
      `This version of the service cannot read "${name}": ${violation}. Restore with the version that wrote the archive.`,
    );
  return { object: toRestored(object), kind };
}

/** The key that signed decisions before must not replace the one that signs them now. */
function toRestored(object: AnyObject): AnyObject {
  const { metadata } = object;
  if (metadata.namespace !== systemNamespace || object.kind !== ConfigMapKind.kind) return object;
  if (metadata.name !== decisionKeyName) return object;
  const name = `${decisionKeyName}-${metadata.uid.slice(0, 8)}`;
  const labels = { ...metadata.labels, ...formerDecisionKeyLabels };
  return { ...object, metadata: { ...metadata, name, labels } };
}

function findViolation(
  object: AnyObject,
  { specSchema, statusSchema }: { specSchema: z.ZodType; statusSchema: z.ZodType },
): string | undefined {
  const spec = specSchema.safeParse(object.spec);
  const status = object.status === undefined ? undefined : statusSchema.safeParse(object.status);
  const issue = spec.error?.issues[0] ?? status?.error?.issues[0];
  // The message of an issue may quote the value.
  return issue && `${issue.path.join('.')} is not valid`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
