import type { CommitSummary, OrgCodehost } from './codehost.ts';
import { mapErrors, orUndefined } from './octokit-errors.ts';
import { type Client, interactive, parseRepo } from './octokit-client.ts';

/** The code host returns at most this many commits in a response. */
const pageSize = 100;

type RawCommit = { sha: string; html_url: string; commit: { message: string } };

export function comparisonOperations(client: Client): Pick<OrgCodehost, 'compareCommits' | 'listNewestCommits'> {
  const readPage = async (repo: string, basehead: string, page: number) => {
    const call = client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...parseRepo(repo),
      basehead,
      per_page: pageSize,
      page,
      ...interactive,
    });
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
      };
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

const toSummary = ({ sha, html_url: url, commit: { message } }: RawCommit): CommitSummary => ({ sha, message, url });
