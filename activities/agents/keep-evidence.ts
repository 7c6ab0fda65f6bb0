import { createHash } from 'node:crypto';
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unlessGone } from '../../src/errors.ts';
import { evidenceKey } from '../../src/rules/agents/transcript-keys.ts';
import * as evidence from '../../src/rules/changes/evidence.ts';
import { draftName } from '../../src/rules/changes/drafts.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { patchRunStatus } from '../../src/rules/changes/run-status.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { artifactIdOf, putArtifact } from '../put-artifact.ts';
import { findEvidence } from './evidence-files.ts';
import { sniffType } from './sniff-type.ts';
import type { KeptEvidence } from './transcript.ts';
import type { Turn } from './turn.ts';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Keeps what a turn left in the evidence folder, so that it outlives the host; nothing when it is as it was. */
export async function recordEvidence(
  { deps, ref }: Turn,
  tree: string,
  before: KeptEvidence = { files: [], skipped: [] },
): Promise<KeptEvidence | undefined> {
  const found = await findEvidence(tree);
  const known = new Set(before.files.map(({ hash }) => hash));
  const files: KeptEvidence['files'] = [];
  for (const { name, bytes } of found.files) {
    const hash = sha256(bytes);
    if (!known.has(hash)) await deps.blobs.put(evidenceKey(ref, hash), bytes);
    files.push({ name, type: await sniffType(bytes), sizeBytes: bytes.length, hash });
  }
  const kept = { files, skipped: found.skipped };
  return JSON.stringify(kept) === JSON.stringify(before) ? undefined : kept;
}

/** Keeps a draft as the first of the step's files. */
export async function recordDraft(
  { deps, ref }: Turn,
  draft: string,
  { files, skipped }: KeptEvidence = { files: [], skipped: [] },
): Promise<KeptEvidence> {
  const bytes = Buffer.from(draft);
  const hash = sha256(bytes);
  await deps.blobs.put(evidenceKey(ref, hash), bytes);
  const others = files.filter(({ name }) => name !== draftName);
  const tooMany = others.slice(evidence.evidenceFilesMax - 1);
  return {
    files: [
      { name: draftName, type: 'text/plain', sizeBytes: bytes.length, hash },
      ...others.slice(0, evidence.evidenceFilesMax - 1),
    ],
    skipped: [...skipped, ...tooMany.map(({ name }) => ({ name, reason: evidence.tooManyFiles }))],
  };
}

/** Puts the files back where a checkout was made anew: no branch has them. */
export async function restoreEvidence(turn: Turn, tree: string, kept: KeptEvidence | undefined): Promise<void> {
  if (!kept || (await lstat(join(tree, '.service')).catch(() => undefined))) return;
  for (const { name, hash } of kept.files) {
    const path = join(tree, evidence.evidenceFolder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await bytesOf(turn, hash), { flag: 'wx' });
  }
}

/** Makes the files the step's artifacts; what an earlier round had and this one has not goes. */
export async function publishEvidence(turn: Turn, { files, skipped }: KeptEvidence): Promise<void> {
  const { deps, assignment, ref } = turn;
  const namespace = orgNamespace(assignment.org);
  for (const file of files) await publishFile(turn, file);
  const run = { namespace, name: assignment.run.metadata.name };
  const items = files.map(({ name, type, sizeBytes }) => {
    return { artifact: evidence.artifactPointer(artifactName(turn, name)), name, type, sizeBytes };
  });
  const kept = new Set(items.map(({ artifact }) => artifact));
  const { status } = await deps.store.get(AgentWorkflowRunKind, run);
  const before = status?.steps.find(({ name }) => name === ref.step)?.evidence ?? [];
  for (const { artifact } of before.filter((item) => !kept.has(item.artifact))) {
    await deleteIfThere(turn, { namespace, name: evidence.artifactId(artifact) });
  }
  const patch = {
    name: ref.step,
    evidence: items.length > 0 ? items : null,
    evidenceSkipped: skipped.length > 0 ? skipped : null,
  };
  await deps.store.updateStatus(AgentWorkflowRunKind, run, (now) => {
    return now.status && patchRunStatus(now.status, { steps: [patch] });
  });
}

const artifactName = ({ ref: { uid, step } }: Turn, file: string): string => artifactIdOf(uid, step, file);

async function publishFile(turn: Turn, { name, type, hash }: KeptEvidence['files'][number]): Promise<void> {
  const { deps, assignment, ref } = turn;
  const { run: owner } = assignment;
  const labels = { [evidence.artifactRunLabel]: owner.metadata.uid, [evidence.artifactStepLabel]: ref.step };
  const bytes = await bytesOf(turn, hash);
  await putArtifact(deps.store, { id: artifactName(turn, name), owner, labels, name, type, bytes });
}

async function bytesOf({ deps, ref }: Turn, hash: string): Promise<Uint8Array> {
  const bytes = await deps.blobs.find(evidenceKey(ref, hash));
  if (!bytes) throw new Error(`The evidence ${hash} of the step "${ref.step}" is gone.`);
  return bytes;
}

async function deleteIfThere({ deps }: Turn, ref: { namespace: string; name: string }): Promise<void> {
  await deps.store.delete(ConfigMapKind, ref).catch(unlessGone);
}
