import { expect, it, vi } from 'vitest';
import { saveArtifact, toArtifactId } from '../../../activities/changes/save-artifact.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { artifactDataKey, artifactNameAnnotation } from '../../../src/rules/changes/evidence.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';

it('saves a file under its owner, and replaces an earlier file of the same id', async () => {
  const store = openTestStore();
  const owner = await store.create(ConfigMapKind, { metadata: { namespace, name: 'owner' } });
  const id = toArtifactId('uid', 'implement', 'shot.png');
  const artifact = { id, owner, labels: { step: 'implement' }, name: 'shot.png', type: 'image/png' };
  await saveArtifact(store, { ...artifact, bytes: Buffer.from('one') });
  await saveArtifact(store, { ...artifact, name: 'new.png', bytes: Buffer.from('two') });
  const saved = await store.get(ConfigMapKind, { namespace, name: id });
  expect(Buffer.from(saved.binaryData?.[artifactDataKey] ?? '', 'base64').toString()).toBe('two');
  expect(saved.metadata).toMatchObject({
    labels: { step: 'implement' },
    annotations: { [artifactNameAnnotation]: 'new.png' },
    ownerReferences: [{ name: 'owner', uid: owner.metadata.uid }],
  });
});

it('fails when the file cannot be replaced, so that it is tried again', async () => {
  const store = openTestStore();
  const owner = await store.create(ConfigMapKind, { metadata: { namespace, name: 'owner' } });
  const artifact = { id: 'artifact-1', owner, labels: {}, name: 'shot.png', type: 'image/png' };
  await saveArtifact(store, { ...artifact, bytes: Buffer.from('one') });
  vi.spyOn(store, 'replace').mockRejectedValueOnce(new Error('The store is away.'));
  await expect(saveArtifact(store, { ...artifact, bytes: Buffer.from('two') })).rejects.toThrow('The store is away.');
});

it('derives different ids from different parts', () => {
  expect(toArtifactId('uid', 'a')).toMatch(/^artifact-[0-9a-f]{40}$/);
  expect(toArtifactId('uid', 'a')).not.toBe(toArtifactId('uid', 'b'));
});
