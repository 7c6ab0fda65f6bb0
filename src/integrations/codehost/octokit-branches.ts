import type { OrgCodehost } from './codehost.ts';
import { type Client, parseRepo } from './octokit-client.ts';
import { findHttpStatus, mapErrors, orUndefined } from './octokit-errors.ts';

/** More pull requests into one branch change no decision. */
const pullRequestsMax = 10;

export function branchOperations(client: Client): Pick<OrgCodehost, 'getBranchFacts' | 'deleteBranch'> {
  return {
    async getBranchFacts(repo, branch) {
      const path = parseRepo(repo);
      const pullQuery = { ...path, state: 'open', base: branch, per_page: pullRequestsMax } as const;
      const [repository, found, pulls] = await Promise.all([
        mapErrors(`the repo ${repo}`, client.request('GET /repos/{owner}/{repo}', path)),
        orUndefined(client.request('GET /repos/{owner}/{repo}/branches/{branch}', { ...path, branch })),
        mapErrors(`the pull requests of ${repo}`, client.request('GET /repos/{owner}/{repo}/pulls', pullQuery)),
      ]);
      return {
        isDefault: repository.data.default_branch === branch,
        isProtected: found?.data.protected ?? false,
        pullRequestsInto: pulls.data.map(({ number }) => number),
      };
    },
    async deleteBranch(repo, branch) {
      try {
        await client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', {
          ...parseRepo(repo),
          ref: `heads/${branch}`,
        });
      } catch (error) {
        const status = findHttpStatus(error);
        if (status !== 404 && status !== 422) throw error;
      }
    },
  };
}
