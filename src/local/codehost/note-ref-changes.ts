import { closeIssue, closeMentioned } from './issue-state.ts';
import type { Host } from './host.ts';
import { isAncestor, readRefs } from './git/revisions.ts';
import { keepHead, measurePull } from './measure-pull.ts';
import { accountById } from './accounts.ts';
import { announcePull } from './pull-events.ts';
import { openPulls } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { pushPayload } from './push-event.ts';
import type { RefChange } from './push-event.ts';
import { branchSha, repositoryById } from './repositories.ts';
import type { Account, Repository } from './rows.ts';
import { hostTime } from './times.ts';
import { announce } from './webhooks.ts';

/**
 * Compares the branches and tags of the repository with those last known, and lets everything follow that follows from
 * a push: pull requests get their new head, are merged or closed, and events are sent. It is the same after a push, after
 * a change through the API and after a death in between. To be called while no one else works on the repository.
 */
export async function noteRefChanges(host: Host, repositoryId: number, sender: Account): Promise<void> {
  const repository = await settleDefaultBranch(host, repositoryById(host, repositoryId));
  const changes = await findChanges(host, repository);
  if (changes.length === 0) return;
  const pushes = await Promise.all(changes.map((change) => pushPayload(host, repository, { change, sender })));
  const follow = await followPulls(host, repository, { changes, sender });

  host.database.transaction(() => {
    for (const { ref, after } of changes) {
      host.database.run('DELETE FROM refs WHERE repositoryId = ? AND name = ?', repositoryId, ref);
      if (after !== undefined) host.database.insert('refs', { repositoryId, name: ref, sha: after });
    }
    host.database.update('repositories', repositoryId, { pushedAt: hostTime(), updatedAt: hostTime() });
    for (const payload of pushes) announce(host, { event: 'push', repository, sender, payload });
    for (const step of follow) step();
  });
}

async function findChanges(host: Host, repository: Repository): Promise<RefChange[]> {
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

/** The first branch pushed into an empty repository becomes its default, unless the one named so is there. */
async function settleDefaultBranch(host: Host, repository: Repository): Promise<Repository> {
  if (branchSha(host, repository.id, repository.defaultBranch) !== undefined) return repository;
  const directory = host.directory(repository);
  const branches = [...(await readRefs(host.git, directory)).keys()].filter((ref) => ref.startsWith('refs/heads/'));
  const [first] = branches;
  if (first === undefined || branches.includes(`refs/heads/${repository.defaultBranch}`)) return repository;
  await host.git.text(directory, ['symbolic-ref', 'HEAD', first]);
  const defaultBranch = first.slice('refs/heads/'.length);
  host.database.update('repositories', repository.id, { defaultBranch });
  return { ...repository, defaultBranch };
}

type Follow = { changes: RefChange[]; sender: Account };

/** What the moves mean for each open pull request, looked up now and written later in one go. */
async function followPulls(host: Host, repository: Repository, { changes, sender }: Follow): Promise<(() => void)[]> {
  const byBranch = new Map(changes.map((change) => [change.ref.replace('refs/heads/', ''), change]));
  const steps: (() => void)[] = [];
  for (const request of openPulls(host, repository.id)) {
    const head = byBranch.get(request.pull.headRef);
    const base = byBranch.get(request.pull.baseRef);
    const step = await followPull(host, repository, { request, head, base, sender });
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

type Moved = { request: PullRequest; head: RefChange | undefined; base: RefChange | undefined; sender: Account };

async function followPull(
  host: Host,
  repository: Repository,
  { request, head, base, sender }: Moved,
): Promise<(() => void) | undefined> {
  const baseSha = base?.after;
  const mergeSha = baseSha && (await mergedBy(host, repository, { request, baseSha }));
  if (mergeSha) return () => finishMerge(host, repository, { request, mergeSha, sender, before: base?.before });
  const gone = [head, base].some((change) => change !== undefined && change.after === undefined);
  if (gone) return () => closeIssue(host, repository, { issue: request.issue, sender, reason: null });
  if (head?.after === undefined) return undefined;
  return moveHead(host, repository, { request, headSha: head.after, sender });
}

/** The commit that brought the pull request into its base, if one did. */
async function mergedBy(
  host: Host,
  repository: Repository,
  { request: { pull }, baseSha }: { request: PullRequest; baseSha: string },
): Promise<string | undefined> {
  const directory = host.directory(repository);
  if (pull.mergingSha !== null && (await isAncestor(host.git, directory, { ancestor: pull.mergingSha, of: baseSha })))
    return pull.mergingSha;
  return (await isAncestor(host.git, directory, { ancestor: pull.headSha, of: baseSha })) ? baseSha : undefined;
}

type Merge = { request: PullRequest; mergeSha: string; sender: Account; before: string | undefined };

function finishMerge(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, mergeSha, sender, before }: Merge,
): void {
  const merger =
    pull.mergingSha === mergeSha && pull.mergingById !== null ? accountById(host, pull.mergingById) : sender;
  const baseSha = before ?? pull.baseSha;
  host.database.update('pulls', pull.id, {
    mergeSha,
    mergedAt: hostTime(),
    mergedById: merger.id,
    baseSha,
    mergingSha: null,
    mergingById: null,
  });
  closeIssue(host, repository, { issue, sender: merger, reason: null });
  if (pull.baseRef === repository.defaultBranch)
    closeMentioned(host, repository, { text: issue.body ?? '', sender: merger });
}

type Head = { request: PullRequest; headSha: string; sender: Account };

async function moveHead(
  host: Host,
  repository: Repository,
  { request: { pull, issue }, headSha, sender }: Head,
): Promise<() => void> {
  const measured = await measurePull(host, repository, { headSha, baseRef: pull.baseRef });
  await keepHead(host, repository, { number: issue.number, headSha });
  return () => {
    host.database.update('pulls', pull.id, { ...measured });
    host.database.update('issues', issue.id, { updatedAt: hostTime() });
    announcePull(host, repository, {
      pullId: pull.id,
      action: 'synchronize',
      sender,
      extra: { before: pull.headSha, after: headSha },
    });
  };
}
