import { Context } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileChange, OrgCodehost, PullRequest } from '../src/integrations/codehost/codehost.ts';
import { inTurn } from '../src/rules/in-turn.ts';

export type EditOutcome =
  | { outcome: 'merged'; commit: string; mergedAt: string; pullRequest?: { number: number; url: string } }
  | { outcome: 'refused'; message: string };

type Edit = {
  repo: string;
  defaultBranch: string;
  branch: string;
  title: string;
  body: string;
  /** What is to be changed in the files as they are at a commit. */
  changesOn: (ref: string) => Promise<FileChange[]>;
};

/** How often a change is applied anew to a base that others keep moving. */
const triesMax = 50;

/**
 * Makes an edit to the default branch through a pull request. When others were faster the edit is applied anew to what
 * is there now, never line-merged: both wrote whole files.
 */
export const mergeEdit = async (host: OrgCodehost, edit: Edit): Promise<EditOutcome> =>
  await turns(edit.repo, async () => await raceOthers(host, edit));

/** Of those who race for a repo all but one begin anew: only other processes are worth racing with. */
const turns = inTurn();

async function raceOthers(host: OrgCodehost, edit: Edit): Promise<EditOutcome> {
  const { repo, branch, defaultBranch } = edit;
  let pull = await host.findPullRequest(repo, branch);
  const { cancellationSignal } = Context.current();
  for (let tries = 0; tries < triesMax; tries += 1) {
    // Taken for dead, or called off: what was written since must not be overwritten.
    cancellationSignal.throwIfAborted();
    const base = await host.branchHead(repo, defaultBranch);
    if (base === undefined) return { outcome: 'refused', message: `The repo ${repo} has no branch ${defaultBranch}.` };
    // Whoever wrote it, what was to be written is there. A merge of long ago says nothing: the files may have moved on.
    if (await isThere(host, edit, base)) {
      const ours = pull?.merged ? pull.mergeCommit : undefined;
      return ours && (await isThere(host, edit, ours)) ? merged(pull, ours) : merged(undefined, base);
    }
    const onTop = pull?.state === 'open' && pull.baseSha === base && (await isThere(host, edit, pull.headSha));
    const head = onTop
      ? pull?.headSha
      : await host.commitFiles(repo, { branch, base, message: edit.title, changes: await edit.changesOn(base) });
    if (head === undefined) return merged(undefined, base);
    pull = await host.openPullRequest(repo, {
      headBranch: branch,
      baseBranch: defaultBranch,
      title: edit.title,
      body: edit.body,
      draft: false,
    });
    const merge = await host.merge(repo, {
      number: pull.number,
      headSha: head,
      title: `${edit.title} (#${pull.number})`,
      message: edit.body,
    });
    if (merge.outcome === 'merged') {
      await host.deleteBranch(repo, branch);
      return merged(pull, merge.commit);
    }
    if (merge.outcome === 'closed' || merge.outcome === 'refused')
      return { outcome: 'refused', message: merge.message };
    await sleep(Math.min(1_000, 50 * 2 ** Math.min(tries, 4)) * (0.5 + Math.random()));
    pull = await host.findPullRequest(repo, branch);
  }
  return { outcome: 'refused', message: `The repo ${repo} kept changing while ${edit.title} was merged.` };
}

async function isThere(host: OrgCodehost, { repo, changesOn }: Edit, ref: string): Promise<boolean> {
  const isSame = async ({ path, content }: FileChange): Promise<boolean> => {
    if (content instanceof Uint8Array) return (await host.fileSha(repo, path, ref)) === blobSha(content);
    return ((await host.readFile(repo, path, ref)) ?? null) === content;
  };
  // One that is not there is enough: the others need not be asked for.
  for (const change of await changesOn(ref)) if (!(await isSame(change))) return false;
  return true;
}

/** What git calls a file with that content. */
const blobSha = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

function merged(pull: PullRequest | undefined, commit: string): EditOutcome {
  const pullRequest = pull && { pullRequest: { number: pull.number, url: pull.url } };
  return { outcome: 'merged', commit, mergedAt: new Date().toISOString(), ...pullRequest };
}
