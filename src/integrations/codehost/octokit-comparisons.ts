import { defined } from '../../defined.ts';
import { listPeople } from '../../rules/intake/list-people.ts';
import type { CommitSummary, FileTotals, OrgCodehost } from './codehost.ts';
import { mapErrors, orUndefined } from './octokit-errors.ts';
import { type Client, interactive, parseRepo } from './octokit-client.ts';

/** The code host returns at most this many commits in a response. */
const pageSize = 100;
/** A range is read by one request per page, so it is bounded. */
const rangeCommitsMax = 1_000;
const filesMax = 300;

/** The code host itself commits under this account what a person or an application does on its pages. */
const codehostCommitter = 'web-flow';

type RawAccount = { login?: string | undefined; type?: string | undefined } | null;
type RawCommit = {
  sha: string;
  html_url: string;
  commit: { message: string };
  author: RawAccount;
  committer: RawAccount;
};
type Operations = Pick<OrgCodehost, 'compareCommits' | 'listCommitsBetween' | 'listNewestCommits'>;

export function comparisonOperations(client: Client): Operations {
  const requestPage = (repo: string, basehead: string, options: object) =>
    client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...parseRepo(repo),
      basehead,
      per_page: pageSize,
      ...options,
    });
  const readPage = async (repo: string, basehead: string, page: number) => {
    const call = requestPage(repo, basehead, { page, ...interactive });
    return (await mapErrors(`the comparison ${basehead} in ${repo}`, orUndefined(call)))?.data;
  };
  return {
    async compareCommits(repo, base, head) {
      const basehead = `${base}...${head}`;
      const first = await readPage(repo, basehead, 1);
      if (!first) return undefined;
      // Pages begin with the oldest commit.
      const lastPage = Math.max(1, Math.ceil(first.ahead_by / pageSize));
      const pages = [lastPage - 1, lastPage].filter((page) => page > 1);
      const others = await Promise.all(
        pages.map(async (page) => (await readPage(repo, basehead, page))?.commits ?? []),
      );
      const commits = [...(lastPage > 2 ? [] : first.commits), ...others.flat()];
      return {
        relation: first.status,
        aheadBy: first.ahead_by,
        behindBy: first.behind_by,
        commits: commits.map(toSummary).toReversed(),
        files: toTotals(first.files ?? []),
      };
    },
    async listCommitsBetween(repo, base, head) {
      const about = `the comparison of ${base} and ${head} in ${repo}`;
      const read = async (page: number) =>
        (await mapErrors(about, requestPage(repo, `${base}...${head}`, { page }))).data;
      const first = await read(1);
      const lastPage = Math.ceil(first.ahead_by / pageSize);
      // Pages begin with the oldest commit, and the last one may have a single commit.
      const firstPage = Math.max(1, lastPage - rangeCommitsMax / pageSize);
      const commits = firstPage === 1 ? [...first.commits] : [];
      for (let page = Math.max(2, firstPage); page <= lastPage; page += 1) commits.push(...(await read(page)).commits);
      return commits.slice(-rangeCommitsMax).map(({ sha, commit }) => ({ sha, message: commit.message }));
    },
    async listNewestCommits(repo, head) {
      const call = client.request('GET /repos/{owner}/{repo}/commits', {
        ...parseRepo(repo),
        sha: head,
        per_page: pageSize,
        ...interactive,
      });
      return (await mapErrors(`the commits of ${head} in ${repo}`, call)).data.map(toSummary);
    },
  };
}

const toSummary = ({ sha, html_url: url, commit: { message }, author, committer }: RawCommit): CommitSummary =>
  defined({
    sha,
    message,
    url,
    people: listPeople(committer?.login === codehostCommitter ? [author] : [author, committer]),
  });

const toTotals = (files: readonly { additions: number; deletions: number }[]): FileTotals => ({
  count: files.length,
  additions: files.reduce((sum, file) => sum + file.additions, 0),
  deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  isTruncated: files.length >= filesMax,
});
