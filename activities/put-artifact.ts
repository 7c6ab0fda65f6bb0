import { createHash } from 'node:crypto';
import * as evidence from '../src/rules/changes/evidence.ts';
import { type ConfigMap, ConfigMapKind } from '../src/rules/core-kinds.ts';
import { ownerReference, type StoredObject } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';
import { createOrGet } from './create-or-get.ts';

type Artifact = {
  id: string;
  owner: StoredObject;
  labels: Record<string, string>;
  name: string;
  type: string;
  bytes: Uint8Array;
};

/** The same for the same thing, so that a second attempt makes no second object. */
export const artifactIdOf = (...parts: string[]): string =>
  `artifact-${createHash('sha256').update(parts.join('/')).digest('hex').slice(0, 40)}`;

/** Keeps a file as a config object of its owner's; what was kept under that id before makes way. */
export async function putArtifact(store: Store, { id, owner, labels, name, type, bytes }: Artifact): Promise<void> {
  const binaryData = { [evidence.artifactDataKey]: Buffer.from(bytes).toString('base64') };
  const annotations = { [evidence.artifactNameAnnotation]: name, [evidence.artifactTypeAnnotation]: type };
  const { namespace } = owner.metadata;
  const metadata = { namespace, name: id, labels, annotations, ownerReferences: [ownerReference(owner)] };
  const there: ConfigMap = await createOrGet(store, ConfigMapKind, { metadata, binaryData });
  if (there.binaryData?.[evidence.artifactDataKey] === binaryData[evidence.artifactDataKey]) return;
  await store.replace(ConfigMapKind, { ...there, metadata: { ...there.metadata, ...metadata }, binaryData });
}
