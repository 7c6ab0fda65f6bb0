import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import * as evidence from '../../../src/rules/changes/evidence.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';

export const namespace = 'org-acme';
type File = { id: string; name: string; type: string; content: string };

/** Creates the run "run-1" whose step "implement" has these evidence files. */
export async function aRunWithEvidence(store: Store, files: File[]): Promise<void> {
  const ref = { namespace, name: 'run-1' };
  const run = await store.create(AgentWorkflowRunKind, {
    metadata: ref,
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'jo', steps: changeAgentWorkflow.steps, roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, ref, () => ({
    phase: 'Running' as const,
    steps: [
      {
        name: 'implement',
        phase: 'Succeeded' as const,
        evidence: files.map(({ id, name, type, content }) => {
          return { artifact: evidence.toArtifactPointer(id), name, type, sizeBytes: content.length };
        }),
      },
      { name: 'merge', phase: 'Pending' as const },
    ],
  }));
  for (const { id, name, type, content } of files)
    await store.create(ConfigMapKind, {
      metadata: {
        namespace,
        name: id,
        labels: { [evidence.artifactRunLabel]: run.metadata.uid },
        annotations: { [evidence.artifactNameAnnotation]: name, [evidence.artifactTypeAnnotation]: type },
        ownerReferences: [ownerReference(run)],
      },
      binaryData: { [evidence.artifactDataKey]: Buffer.from(content).toString('base64') },
    });
}

export const file = (type: string, more: Partial<File> = {}): File => ({
  id: 'artifact-1',
  name: 'shots/the page.png',
  type,
  content: 'bytes',
  ...more,
});

const screenshot = (zone: string, more: object = {}) => ({
  artifact: `artifact:artifact-${zone}`,
  name: `${zone}.png`,
  type: 'image/png',
  sizeBytes: 5,
  at: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** Creates a Release of that run with a screenshot in one zone and a placeholder in another. */
export async function aReleaseWithScreenshots(store: Store) {
  const ref = { namespace, name: 'shop-v1.0.0' };
  const release = await store.create(ReleaseKind, {
    metadata: { ...ref, labels: { [runLabel]: 'run-1' } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' },
  });
  const failure = 'No browser is available.';
  await store.updateStatus(ReleaseKind, ref, () => ({
    phase: 'Promoting' as const,
    zones: [
      { name: 'shop-rc', phase: 'Verified' as const, screenshot: screenshot('shop-rc') },
      { name: 'shop-prod', phase: 'Verified' as const, screenshot: screenshot('shop-prod', { failure }) },
      { name: 'shop-eu', phase: 'Pending' as const },
    ],
  }));
  await store.create(ConfigMapKind, {
    metadata: {
      namespace,
      name: 'artifact-shop-prod',
      labels: { [evidence.artifactReleaseLabel]: release.metadata.uid },
      annotations: { [evidence.artifactTypeAnnotation]: 'image/svg+xml' },
      ownerReferences: [ownerReference(release)],
    },
    binaryData: { [evidence.artifactDataKey]: Buffer.from('<svg/>').toString('base64') },
  });
}
/** The artifacts of that Release as the API lists them. */
export const screenshotItems = [
  { id: 'artifact-shop-rc', release: 'shop-v1.0.0', zone: 'shop-rc', name: 'shop-rc.png', type: 'image/png' },
  { id: 'artifact-shop-prod', release: 'shop-v1.0.0', zone: 'shop-prod', failure: 'No browser is available.' },
];
