import { unprocessable } from './failure.ts';
import { commitsBetween } from './git/revisions.ts';
import type { Host } from './host.ts';
import { nextNumber } from './issues.ts';
import { announcePull } from './pull-events.ts';
import { openPulls, pullById } from './pulls.ts';
import type { PullRequest } from './pulls.ts';
import { keepHead, measurePull } from './measure-pull.ts';
import { branchSha } from './repositories.ts';
import type { Account, Repository } from './rows.ts';
import { hostTime } from './times.ts';

export type NewPull = {
  title: string;
  body: string | null;
  head: string;
  base: string;
  draft: boolean;
  author: Account;
};

/** To be called while no one else works on the repository. */
export async function openPull(
  host: Host,
  repository: Repository,
  { title, body, head, base, draft, author }: NewPull,
): Promise<PullRequest> {
  const headRef = branchOf(repository, head);
  const headSha = headRef === undefined ? undefined : branchSha(host, repository.id, headRef);
  const baseSha = branchSha(host, repository.id, base);
  if (headRef === undefined || headSha === undefined)
    throw unprocessable({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw unprocessable({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  mustBeFree(host, repository, { headRef, base });
  const commits = await commitsBetween(host.git, host.directory(repository), { base: baseSha, head: headSha });
  if (commits.length === 0) throw refused(`No commits between ${base} and ${headRef}`);

  const measured = await measurePull(host, repository, { headSha, baseRef: base });
  const id = host.database.transaction(() => {
    const now = hostTime();
    const number = nextNumber(host, repository.id);
    const issueId = host.database.insert('issues', {
      repositoryId: repository.id,
      number,
      title,
      body,
      state: 'open',
      authorId: author.id,
      createdAt: now,
      updatedAt: now,
    });
    const pullId = host.database.insert('pulls', { issueId, headRef, draft: draft ? 1 : 0, ...measured });
    announcePull(host, repository, { pullId, action: 'opened', sender: author });
    return pullId;
  });
  const opened = pullById(host, id);
  if (opened === undefined) throw new Error(`no pull request ${id}`);
  await keepHead(host, repository, { number: opened.issue.number, headSha });
  return opened;
}

const refused = (message: string): Error => unprocessable({ resource: 'PullRequest', code: 'custom', message });

/** Refused when another open pull request has that head and base. */
export function mustBeFree(
  host: Host,
  repository: Repository,
  { headRef, base, but }: { headRef: string; base: string; but?: number },
): void {
  const same = openPulls(host, repository.id).find(
    ({ pull }) => pull.id !== but && pull.headRef === headRef && pull.baseRef === base,
  );
  if (same !== undefined) throw refused(`A pull request already exists for ${repository.owner}:${headRef}.`);
}

/** `branch` or `owner:branch`; there are no forks here. */
function branchOf(repository: Repository, head: string): string | undefined {
  const [owner = '', branch] = head.split(':');
  if (branch === undefined) return head;
  return owner.toLowerCase() === repository.owner.toLowerCase() ? branch : undefined;
}
