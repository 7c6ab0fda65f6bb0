import { ServiceError } from '../../errors.ts';
import { isVersion } from '../../rules/releases/next-version.ts';
import type { OrgCodehost } from './codehost.ts';
import { orUndefined, findHttpStatus, mapErrors } from './octokit-errors.ts';
import { type Client, parseRepo } from './octokit-client.ts';

export function releaseOperations(
  client: Client,
): Pick<OrgCodehost, 'listVersionTags' | 'ensureTag' | 'ensureRelease' | 'findRelease'> {
  const requestRelease = async (repo: string, tag: string) =>
    await orUndefined(client.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { ...parseRepo(repo), tag }));
  const findTagCommit = async (repo: string, name: string): Promise<string | undefined> => {
    const ref = await orUndefined(
      client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...parseRepo(repo), ref: `tags/${name}` }),
    );
    if (!ref) return undefined;
    const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...parseRepo(repo), ref: name });
    return data.sha;
  };

  return {
    async listVersionTags(repo) {
      const tags = await client.paginate('GET /repos/{owner}/{repo}/tags', { ...parseRepo(repo), per_page: 100 });
      return tags.filter((tag) => isVersion(tag.name)).map((tag) => ({ name: tag.name, commit: tag.commit.sha }));
    },
    async ensureTag(repo, { name, commit }) {
      const existing = await findTagCommit(repo, name);
      if (existing === commit) return;
      if (existing) throw tagConflictError(repo, name, { existing, wanted: commit });
      try {
        await client.request('POST /repos/{owner}/{repo}/git/refs', {
          ...parseRepo(repo),
          ref: `refs/tags/${name}`,
          sha: commit,
        });
      } catch (error) {
        const created = findHttpStatus(error) === 422 ? await findTagCommit(repo, name) : undefined;
        if (created === commit) return;
        if (created) throw tagConflictError(repo, name, { existing: created, wanted: commit });
        await mapErrors(`the tag ${name} in ${repo}`, Promise.reject(error as Error));
      }
    },
    async ensureRelease(repo, { tag, title, body }) {
      const existing = await requestRelease(repo, tag);
      if (existing) return { url: existing.data.html_url };
      try {
        const { data } = await client.request('POST /repos/{owner}/{repo}/releases', {
          ...parseRepo(repo),
          tag_name: tag,
          name: title,
          body,
        });
        return { url: data.html_url };
      } catch (error) {
        const created = findHttpStatus(error) === 422 ? await requestRelease(repo, tag) : undefined;
        if (created) return { url: created.data.html_url };
        return await mapErrors(`the release ${tag} in ${repo}`, Promise.reject(error as Error));
      }
    },
    async findRelease(repo, tag) {
      const release = await requestRelease(repo, tag);
      return release && { url: release.data.html_url, body: release.data.body ?? '' };
    },
  };
}

function tagConflictError(repo: string, name: string, commits: { existing: string; wanted: string }): ServiceError {
  return new ServiceError(
    'tag-exists',
    `The tag ${name} of ${repo} exists at ${commits.existing}, not at ${commits.wanted}. Remove the tag, or start the Release with another version.`,
  );
}
