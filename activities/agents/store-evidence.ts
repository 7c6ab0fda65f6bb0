import { createHash } from 'node:crypto';
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreNotFound } from '../../src/errors.ts';
import { evidenceKey } from '../../src/rules/agents/transcript-keys.ts';
import type { StoredEvidence } from '../../src/rules/agents/transcript-parts.ts';
import * as evidence from '../../src/rules/changes/evidence.ts';
import { draftFileName } from '../../src/rules/changes/drafts.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { patchRunStatus } from '../../src/rules/changes/run-status.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { toArtifactId, saveArtifact } from '../changes/save-artifact.ts';
import { collectEvidence } from './collect-evidence.ts';
import { sniffType } from './sniff-type.ts';
import type { TurnContext } from './turn.ts';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Saves the evidence folder to the blobs, so that it outlives the host; returns undefined when nothing changed. */
export async function saveEvidence(
  { deps, ref }: TurnContext,
  tree: string,
  before: StoredEvidence = { files: [], skipped: [] },
): Promise<StoredEvidence | undefined> {
  const found = await collectEvidence(tree);
  const known = new Set(before.files.map(({ hash }) => hash));
  const files: StoredEvidence['files'] = [];
  for (const { name, bytes } of found.files) {
    const hash = sha256(bytes);
    if (!known.has(hash)) await deps.blobs.put(evidenceKey(ref, hash), bytes);
    files.push({ name, type: await sniffType(bytes), sizeBytes: bytes.length, hash });
  }
  const saved = { files, skipped: found.skipped };
  return JSON.stringify(saved) === JSON.stringify(before) ? undefined : saved;
}

/** Saves a draft as the first file of the step's evidence. */
export async function saveDraft(
  { deps, ref }: TurnContext,
  draft: string,
  { files, skipped }: StoredEvidence = { files: [], skipped: [] },
): Promise<StoredEvidence> {
  const bytes = Buffer.from(draft);
  const hash = sha256(bytes);
  await deps.blobs.put(evidenceKey(ref, hash), bytes);
  const others = files.filter(({ name }) => name !== draftFileName);
  const tooMany = others.slice(evidence.evidenceFilesMax - 1);
  return {
    files: [
      { name: draftFileName, type: 'text/plain', sizeBytes: bytes.length, hash },
      ...others.slice(0, evidence.evidenceFilesMax - 1),
    ],
    skipped: [...skipped, ...tooMany.map(({ name }) => ({ name, reason: evidence.tooManyFilesMessage }))],
  };
}

/** Restores the files in a new checkout, because no branch contains them. */
export async function restoreEvidence(
  turn: TurnContext,
  tree: string,
  evidenceBefore: StoredEvidence | undefined,
): Promise<void> {
  if (!evidenceBefore || (await lstat(join(tree, '.service')).catch(() => undefined))) return;
  for (const { name, hash } of evidenceBefore.files) {
    const path = join(tree, evidence.evidenceFolder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await getEvidenceBytes(turn, hash), { flag: 'wx' });
  }
}

/** Publishes the files as the step's artifacts and deletes artifacts of earlier rounds that are no longer among them. */
export async function publishEvidence(turn: TurnContext, { files, skipped }: StoredEvidence): Promise<void> {
  const { deps, assignment, ref } = turn;
  const namespace = orgNamespace(assignment.org);
  for (const file of files) await publishFile(turn, file);
  const run = { namespace, name: assignment.run.metadata.name };
  const items = files.map(({ name, type, sizeBytes }) => {
    return { artifact: evidence.toArtifactPointer(artifactIdFor(turn, name)), name, type, sizeBytes };
  });
  const published = new Set(items.map(({ artifact }) => artifact));
  const { status } = await deps.store.get(AgentWorkflowRunKind, run);
  const before = status?.steps.find(({ name }) => name === ref.step)?.evidence ?? [];
  for (const { artifact } of before.filter((item) => !published.has(item.artifact))) {
    await deleteIfExists(turn, { namespace, name: evidence.toArtifactId(artifact) });
  }
  const patch = {
    name: ref.step,
    evidence: items.length > 0 ? items : null,
    skippedEvidence: skipped.length > 0 ? skipped : null,
  };
  await deps.store.updateStatus(AgentWorkflowRunKind, run, ({ status: current }) => {
    return current && patchRunStatus(current, { steps: [patch] });
  });
}

const artifactIdFor = ({ ref: { uid, step } }: TurnContext, file: string): string => toArtifactId(uid, step, file);

async function publishFile(turn: TurnContext, { name, type, hash }: StoredEvidence['files'][number]): Promise<void> {
  const { deps, assignment, ref } = turn;
  const { run: owner } = assignment;
  const labels = { [evidence.artifactRunLabel]: owner.metadata.uid, [evidence.artifactStepLabel]: ref.step };
  const bytes = await getEvidenceBytes(turn, hash);
  await saveArtifact(deps.store, { id: artifactIdFor(turn, name), owner, labels, name, type, bytes });
}

async function getEvidenceBytes({ deps, ref }: TurnContext, hash: string): Promise<Uint8Array> {
  const bytes = await deps.blobs.find(evidenceKey(ref, hash));
  if (!bytes) throw new Error(`The evidence blob ${hash} of the step "${ref.step}" does not exist.`);
  return bytes;
}

async function deleteIfExists({ deps }: TurnContext, ref: { namespace: string; name: string }): Promise<void> {
  await deps.store.delete(ConfigMapKind, ref).catch(ignoreNotFound);
}
