import { Context } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../src/in-turn.ts';
import type { FileChange, OrgCodehost, PullRequest } from '../src/integrations/codehost/codehost.ts';

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
/** A repo that somebody has just made gets its first commit a moment later. */
const emptyTriesMax = 15;

/** Those of one process that write to a repo would only be in each other's way: each merge refuses all others under way. */
const turns = inTurn();

/**
 * Makes an edit to the default branch through a pull request. When others were faster the edit is applied anew to what
 * is there now, never line-merged: both wrote whole files.
 */
export async function mergeEdit(host: OrgCodehost, edit: Edit): Promise<EditOutcome> {
  return await turns(edit.repo, async () => await mergeAmongOthers(host, edit));
}

async function mergeAmongOthers(host: OrgCodehost, edit: Edit): Promise<EditOutcome> {
  const { repo, branch, defaultBranch } = edit;
  let pull = await host.findPullRequest(repo, branch);
  let readyOn: string | undefined;
  const { cancellationSignal } = Context.current();
  for (let tries = 0; tries < triesMax; tries += 1) {
    // Taken for dead, or called off: what was written since must not be overwritten.
    cancellationSignal.throwIfAborted();
    const base = await host.branchHead(repo, defaultBranch);
    if (base === undefined && tries >= emptyTriesMax) return withoutBranch(edit);
    if (base === undefined) {
      await pause(tries);
      continue;
    }
    if (!pull || readyOn === undefined || !(await isUntouched(host, edit, { from: readyOn, to: base }))) {
      // Whoever wrote it, what was to be written is there. A merge of long ago says nothing: the files may have moved on.
      if (await isThere(host, edit, base)) {
        const ours = pull?.merged ? pull.mergeCommit : undefined;
        return ours && (await isThere(host, edit, ours)) ? merged(pull, ours) : merged(undefined, base);
      }
      if (!pull || !(await isReady(host, edit, { pull, base }))) pull = await propose(host, edit, base);
      if (!pull) return merged(undefined, base);
    }
    const merge = await host.merge(repo, {
      number: pull.number,
      headSha: pull.headSha,
      title: `${edit.title} (#${pull.number})`,
      message: edit.body,
    });
    if (merge.outcome === 'merged') {
      await host.deleteBranch(repo, branch);
      return merged(pull, merge.commit);
    }
    if (merge.outcome === 'closed' || merge.outcome === 'refused')
      return { outcome: 'refused', message: merge.message };
    readyOn = merge.outcome === 'base-moved' ? base : undefined;
    await pause(tries);
    if (readyOn === undefined) pull = await host.findPullRequest(repo, branch);
  }
  return { outcome: 'refused', message: `The repo ${repo} kept changing while ${edit.title} was merged.` };
}

const withoutBranch = ({ repo, defaultBranch }: Edit): EditOutcome => ({
  outcome: 'refused',
  message: `The repo ${repo} has no branch ${defaultBranch}. Push a first commit to it.`,
});

const pause = async (tries: number): Promise<void> =>
  await sleep(Math.min(1_000, 50 * 2 ** Math.min(tries, 4)) * (0.5 + Math.random()));

/** Writes the edit anew on top of a base; undefined when the base has all of it. */
async function propose(host: OrgCodehost, edit: Edit, base: string): Promise<PullRequest | undefined> {
  const { repo, branch, defaultBranch, title, body } = edit;
  const head = await host.commitFiles(repo, { branch, base, message: title, changes: await edit.changesOn(base) });
  if (head === undefined) return undefined;
  const opened = { headBranch: branch, baseBranch: defaultBranch, title, body, draft: false };
  return { ...(await host.openPullRequest(repo, opened)), headSha: head };
}

/** Whether what is proposed can be merged as it is: it says all that is to be said, on top of what is there. */
async function isReady(
  host: OrgCodehost,
  edit: Edit,
  { pull, base }: { pull: PullRequest; base: string },
): Promise<boolean> {
  if (pull.state !== 'open' || !(await isThere(host, edit, pull.headSha))) return false;
  const [writtenOn] = (await host.commit(edit.repo, pull.headSha)).parents;
  return writtenOn !== undefined && (await isUntouched(host, edit, { from: writtenOn, to: base }));
}

/**
 * Others move the base all the time, and mostly by files of their own: where many write at once, writing anew for each
 * of them would be all that anybody does.
 */
async function isUntouched(
  host: OrgCodehost,
  { repo, changesOn }: Edit,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  if (from === to) return true;
  const same = (await changesOn(to)).map(async ({ path }) => {
    const [before, now] = await Promise.all([host.fileSha(repo, path, from), host.fileSha(repo, path, to)]);
    return before === now;
  });
  return (await Promise.all(same)).every(Boolean);
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
