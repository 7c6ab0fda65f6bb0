import { closeIssue, closeReferencedIssues } from './issue-state.ts';
import type { Host } from './host.ts';
import { isAncestor, readRefs } from './git/revisions.ts';
import { computePullStats } from './compute-pull-stats.ts';
import { getAccount } from './accounts.ts';
import { emitPullEvent } from './emit-pull-event.ts';
import { listOpenPulls } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { createPushPayload } from './create-push-payload.ts';
import type { PushPayload, RefChange } from './create-push-payload.ts';
import { findBranchSha, getRepository } from './repositories.ts';
import { savePullHead } from './save-pull-head.ts';
import type { Account, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';
import { emitWebhook } from './webhooks.ts';

/**
 * Compares the refs of the repository with the recorded ones, updates pull requests and emits events, as git's post-receive
 * hook would. It also runs after API changes and after a crash. The caller must hold the repository's lock.
 */
export async function runPostReceive(host: Host, repositoryId: number, sender: Account): Promise<void> {
  const repository = await ensureDefaultBranch(host, getRepository(host, repositoryId));
  const changes = await findRefChanges(host, repository);
  if (changes.length === 0) return;
  const pushes = await Promise.all(changes.map((change) => createPushPayload(host, repository, { change, sender })));
  const pullUpdates = await planPullUpdates(host, repository, { changes, sender });

  host.database.transaction(() => {
    for (const { ref, after } of changes) {
      host.database.run('DELETE FROM refs WHERE repositoryId = ? AND name = ?', repositoryId, ref);
      if (after !== undefined) host.database.insert('refs', { repositoryId, name: ref, sha: after });
    }
    host.database.update('repositories', repositoryId, { pushedAt: formatTimestamp(), updatedAt: formatTimestamp() });
    for (const payload of pushes) {
      saveRefUpdate(host, { repositoryId, sender, payload });
      emitWebhook(host, { event: 'push', repository, sender, payload });
    }
    for (const apply of pullUpdates) apply();
  });
}

type PushedRef = { repositoryId: number; sender: Account; payload: PushPayload };

/** Records who moved a branch, for the list of a repository's activities. */
function saveRefUpdate(host: Host, { repositoryId, sender, payload }: PushedRef): void {
  const { ref, before, after, created, deleted, forced } = payload;
  if (!ref.startsWith('refs/heads/')) return;
  const kind = created ? 'branch_creation' : deleted ? 'branch_deletion' : forced ? 'force_push' : 'push';
  const createdAt = formatTimestamp();
  host.database.insert('refUpdates', { repositoryId, ref, before, after, kind, actorId: sender.id, createdAt });
}

async function findRefChanges(host: Host, repository: Repository): Promise<RefChange[]> {
  const rows = host.database.all<{ name: string; sha: string }>(
    'SELECT name, sha FROM refs WHERE repositoryId = ?',
    repository.id,
  );
  const known = new Map(rows.map(({ name, sha }) => [name, sha]));
  const found = await readRefs(host.git, host.directory(repository));
  const names = new Set([...known.keys(), ...found.keys()]);
  return [...names]
    .map((ref) => ({ ref, before: known.get(ref), after: found.get(ref) }))
    .filter(({ before, after }) => before !== after);
}

/** The first branch pushed into an empty repository becomes its default branch if the configured one is missing. */
async function ensureDefaultBranch(host: Host, repository: Repository): Promise<Repository> {
  if (findBranchSha(host, repository.id, repository.defaultBranch) !== undefined) return repository;
  const directory = host.directory(repository);
  const branches = [...(await readRefs(host.git, directory)).keys()].filter((ref) => ref.startsWith('refs/heads/'));
  const [first] = branches;
  if (first === undefined || branches.includes(`refs/heads/${repository.defaultBranch}`)) return repository;
  await host.git.text(directory, ['symbolic-ref', 'HEAD', first]);
  const defaultBranch = first.slice('refs/heads/'.length);
  host.database.update('repositories', repository.id, { defaultBranch });
  return { ...repository, defaultBranch };
}

type PullSync = { changes: RefChange[]; sender: Account };

/** Computes the changes to each open pull request. The caller applies them in one transaction. */
async function planPullUpdates(
  host: Host,
  repository: Repository,
  { changes, sender }: PullSync,
): Promise<(() => void)[]> {
  const byBranch = new Map(changes.map((change) => [change.ref.replace('refs/heads/', ''), change]));
  const updates: (() => void)[] = [];
  for (const request of listOpenPulls(host, repository.id)) {
    const head = byBranch.get(request.pull.headRef);
    const base = byBranch.get(request.pull.baseRef);
    const update = await planPullUpdate(host, repository, { request, head, base, sender });
    if (update !== undefined) updates.push(update);
  }
  return updates;
}

type PullRefChanges = {
  request: PullRequest;
  head: RefChange | undefined;
  base: RefChange | undefined;
  sender: Account;
};

async function planPullUpdate(
  host: Host,
  repository: Repository,
  { request, head, base, sender }: PullRefChanges,
): Promise<(() => void) | undefined> {
  const baseSha = base?.after;
  const mergeSha = baseSha && (await findMergeCommit(host, repository, { request, baseSha }));
  if (mergeSha) return () => markMerged(host, repository, { request, mergeSha, sender, before: base?.before });
  const isDeleted = [head, base].some((change) => change !== undefined && change.after === undefined);
  if (isDeleted) return () => closeIssue(host, repository, { issue: request.issue, sender, reason: null });
  if (head?.after === undefined) return undefined;
  return planHeadUpdate(host, repository, { request, headSha: head.after, sender });
}

/** Returns the commit that merged the pull request into its base, if any. */
async function findMergeCommit(
  host: Host,
  repository: Repository,
  { request: { pull }, baseSha }: { request: PullRequest; baseSha: string },
): Promise<string | undefined> {
  const directory = host.directory(repository);
  if (
    pull.pendingMergeSha !== null &&
    (await isAncestor(host.git, directory, { ancestor: pull.pendingMergeSha, descendant: baseSha }))
  )
    return pull.pendingMergeSha;
  return (await isAncestor(host.git, directory, { ancestor: pull.headSha, descendant: baseSha })) ? baseSha : undefined;
}

type MergedPull = { request: PullRequest; mergeSha: string; sender: Account; before: string | undefined };

function markMerged(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, mergeSha, sender, before }: MergedPull,
): void {
  const merger =
    pull.pendingMergeSha === mergeSha && pull.pendingMergeById !== null
      ? getAccount(host, pull.pendingMergeById)
      : sender;
  const baseSha = before ?? pull.baseSha;
  host.database.update('pulls', pull.id, {
    mergeSha,
    mergedAt: formatTimestamp(),
    mergedById: merger.id,
    baseSha,
    pendingMergeSha: null,
    pendingMergeById: null,
  });
  closeIssue(host, repository, { issue, sender: merger, reason: null });
  if (pull.baseRef === repository.defaultBranch)
    closeReferencedIssues(host, repository, { text: issue.body ?? '', sender: merger });
}

type NewHead = { request: PullRequest; headSha: string; sender: Account };

async function planHeadUpdate(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, headSha, sender }: NewHead,
): Promise<() => void> {
  const stats = await computePullStats(host, repository, { headSha, baseRef: pull.baseRef });
  await savePullHead(host, repository, { number: issue.number, headSha });
  return () => {
    host.database.update('pulls', pull.id, { ...stats });
    host.database.update('issues', issue.id, { updatedAt: formatTimestamp() });
    emitPullEvent(host, repository, {
      pullId: pull.id,
      action: 'synchronize',
      sender,
      extra: { before: pull.headSha, after: headSha },
    });
  };
}
