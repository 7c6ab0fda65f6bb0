import { ServiceError } from '../../errors.ts';
import type { OrgCodehost } from './codehost.ts';
import { found, statusOf, translating } from './octokit-errors.ts';
import { type Client, split } from './octokit-client.ts';

const versionTag = /^v\d+\.\d+\.\d+$/;

export function releaseOperations(
  client: Client,
): Pick<OrgCodehost, 'versionTags' | 'ensureTag' | 'ensureRelease' | 'release'> {
  const releaseOf = async (repo: string, tag: string) =>
    await found(client.request('GET /repos/{owner}/{repo}/releases/tags/{tag}', { ...split(repo), tag }));
  const tagCommit = async (repo: string, name: string): Promise<string | undefined> => {
    const ref = await found(
      client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...split(repo), ref: `tags/${name}` }),
    );
    if (!ref) return undefined;
    const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}', { ...split(repo), ref: name });
    return data.sha;
  };

  return {
    async versionTags(repo) {
      const tags = await client.paginate('GET /repos/{owner}/{repo}/tags', { ...split(repo), per_page: 100 });
      return tags.filter((tag) => versionTag.test(tag.name)).map((tag) => ({ name: tag.name, commit: tag.commit.sha }));
    },
    async ensureTag(repo, { name, commit }) {
      const existing = await tagCommit(repo, name);
      if (existing === commit) return;
      if (existing) throw tagElsewhere(repo, name, { existing, wanted: commit });
      try {
        await client.request('POST /repos/{owner}/{repo}/git/refs', {
          ...split(repo),
          ref: `refs/tags/${name}`,
          sha: commit,
        });
      } catch (error) {
        const now = statusOf(error) === 422 ? await tagCommit(repo, name) : undefined;
        if (now === commit) return;
        if (now) throw tagElsewhere(repo, name, { existing: now, wanted: commit });
        await translating(`the tag ${name} in ${repo}`, Promise.reject(error as Error));
      }
    },
    async ensureRelease(repo, { tag, title, body }) {
      const existing = await releaseOf(repo, tag);
      if (existing) return { url: existing.data.html_url };
      try {
        const { data } = await client.request('POST /repos/{owner}/{repo}/releases', {
          ...split(repo),
          tag_name: tag,
          name: title,
          body,
        });
        return { url: data.html_url };
      } catch (error) {
        const now = statusOf(error) === 422 ? await releaseOf(repo, tag) : undefined;
        if (now) return { url: now.data.html_url };
        return await translating(`the release ${tag} in ${repo}`, Promise.reject(error as Error));
      }
    },
    async release(repo, tag) {
      const there = await releaseOf(repo, tag);
      return there && { url: there.data.html_url, body: there.data.body ?? '' };
    },
  };
}

function tagElsewhere(repo: string, name: string, commits: { existing: string; wanted: string }): ServiceError {
  return new ServiceError(
    'conflict',
    `The tag ${name} of ${repo} stands at ${commits.existing}, not at ${commits.wanted}. Remove the tag, or start the Release with another version.`,
  );
}
