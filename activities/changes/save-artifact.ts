import { createHash } from 'node:crypto';
import { type ConfigMap, ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import * as evidence from '../../src/rules/changes/evidence.ts';
import { ownerReference, type StoredObject } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

type Artifact = {
  id: string;
  owner: StoredObject;
  labels: Record<string, string>;
  name: string;
  type: string;
  bytes: Uint8Array;
};

/** Derives the id from the given parts, so that a retry writes to the same object. */
export const toArtifactId = (...parts: string[]): string =>
  `artifact-${createHash('sha256').update(parts.join('/')).digest('hex').slice(0, 40)}`;

/** Saves a file as a ConfigMap that its owner owns, and replaces an earlier file of the same id. */
export async function saveArtifact(store: Store, { id, owner, labels, name, type, bytes }: Artifact): Promise<void> {
  const binaryData = { [evidence.artifactDataKey]: Buffer.from(bytes).toString('base64') };
  const annotations = { [evidence.artifactNameAnnotation]: name, [evidence.artifactTypeAnnotation]: type };
  const { namespace } = owner.metadata;
  const metadata = { namespace, name: id, labels, annotations, ownerReferences: [ownerReference(owner)] };
  const existing: ConfigMap = await getOrCreate(store, ConfigMapKind, { metadata, binaryData });
  if (existing.binaryData?.[evidence.artifactDataKey] === binaryData[evidence.artifactDataKey]) return;
  await store.replace(ConfigMapKind, { ...existing, metadata: { ...existing.metadata, ...metadata }, binaryData });
}
