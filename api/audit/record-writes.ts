import { ConfigMapKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import type { Write } from '../../src/rules/audit/describe-change.ts';
import { passingLabels } from '../../src/rules/expiry.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { NewObject, Ref, Store } from '../../src/store/store.ts';
import { currentRecording } from './current-recording.ts';

/** Wraps the store of all handlers: the recording of the request that writes gets each object before and after. */
export function recordWrites(store: Store): Store {
  return {
    ...store,

    create: async <T extends StoredObject>(kind: Kind<T>, object: NewObject<T>) => {
      const recording = await beginUnlessPassing(kind, object.metadata);
      const after = await store.create(kind, object);
      recording?.note({ ...describe(kind, after.metadata), action: 'created', after });
      return after;
    },

    replace: async <T extends StoredObject>(kind: Kind<T>, object: T) => {
      const recording = await beginUnlessPassing(kind, object.metadata);
      if (!recording) return await store.replace(kind, object);
      const before = await store.find(kind, object.metadata);
      const after = await store.replace(kind, object);
      if (before?.metadata.resourceVersion !== after.metadata.resourceVersion)
        recording.note({ ...describe(kind, object.metadata), action: 'updated', before, after });
      return after;
    },

    put: async (kind, object) => {
      const recording = await beginUnlessPassing(kind, object.metadata);
      await store.put(kind, object);
      // The caller must not read the object, so the log does not either.
      recording?.note({ ...describe(kind, object.metadata), action: 'updated', after: object as never });
    },

    updateStatus: async <T extends StoredObject & { status?: unknown }>(
      kind: Kind<T>,
      ref: Ref,
      change: (current: T) => T['status'] | undefined,
    ) => {
      const recording = await beginUnlessPassing(kind, ref);
      if (!recording) return await store.updateStatus(kind, ref, change);
      let before: T | undefined;
      const after = await store.updateStatus(kind, ref, (current) => {
        before = structuredClone(current);
        return change(current);
      });
      if (before?.metadata.resourceVersion !== after.metadata.resourceVersion)
        recording.note({
          ...describe(kind, ref),
          action: 'updated',
          before: statusAlone(before),
          after: statusAlone(after),
        });
      return after;
    },

    delete: async (kind, ref, options) => {
      const recording = currentRecording.getStore();
      if (!recording) return await store.delete(kind, ref, options);
      const before = await store.find(kind, ref);
      const isRecorded = before && (await beginUnlessPassing(kind, before.metadata));
      await store.delete(kind, ref, options);
      if (isRecorded) recording.note({ ...describe(kind, ref), action: 'deleted', before });
    },

    deleteNamespace: async (namespace) => {
      await currentRecording.getStore()?.begin(namespace);
      return await store.deleteNamespace(namespace);
    },
  };
}

async function beginUnlessPassing(kind: Kind<StoredObject>, metadata: Ref & { labels?: Record<string, string> }) {
  const recording = currentRecording.getStore();
  if (!recording || isPassing(kind, metadata.labels ?? {})) return undefined;
  await recording.begin(metadata.namespace);
  return recording;
}

const isPassing = ({ kind }: Kind<StoredObject>, labels: Record<string, string>): boolean =>
  [ConfigMapKind.kind, SecretKind.kind].includes(kind) &&
  passingLabels.some((passing) => Object.keys(passing).some((label) => label in labels));

const describe = (
  { kind }: Kind<StoredObject>,
  { namespace, name }: Ref,
): Pick<Write, 'kind' | 'namespace' | 'name'> => ({
  kind,
  namespace,
  name,
});

/** A write of the status changes nothing else, although others may write the spec meanwhile. */
const statusAlone = <T extends StoredObject>(object: T | undefined): T | undefined =>
  object && ({ ...object, spec: undefined } as T);
