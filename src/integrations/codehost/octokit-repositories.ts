import type { FileChange, OrgCodehost } from './codehost.ts';
import { found, statusOf, translating } from './octokit-errors.ts';
import { type Client, split } from './octokit-client.ts';

type RepositoryOperations = Pick<
  OrgCodehost,
  | 'repository'
  | 'ensureRepository'
  | 'gitRemote'
  | 'branchHead'
  | 'commit'
  | 'commitsBetween'
  | 'isAncestor'
  | 'readFile'
  | 'fileSha'
  | 'filesBelow'
  | 'commitFiles'
  | 'deleteBranch'
>;

export function repositoryOperations(client: Client, token: () => Promise<string>): RepositoryOperations {
  const repository = async (repo: string) => {
    const { data } = await translating(`the repo ${repo}`, client.request('GET /repos/{owner}/{repo}', split(repo)));
    return { defaultBranch: data.default_branch, cloneUrl: data.clone_url, private: data.private };
  };
  const cloneUrls = new Map<string, string>();
  const branchHead = async (repo: string, branch: string): Promise<string | undefined> => {
    const ref = await found(
      client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...split(repo), ref: `heads/${branch}` }),
    );
    return ref?.data.object.sha;
  };
  const compare = async (repo: string, base: string, head: string) => {
    const call = client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...split(repo),
      basehead: `${base}...${head}`,
      per_page: 100,
    });
    return (await translating(`the comparison of ${base} and ${head} in ${repo}`, call)).data;
  };

  const treeEntry = async (repo: string, { path, content }: FileChange) => {
    const file = { path, mode: '100644', type: 'blob' } as const;
    if (content === null) return { ...file, sha: null };
    if (typeof content === 'string') return { ...file, content };
    const blob = { content: Buffer.from(content).toString('base64'), encoding: 'base64' };
    const { data } = await client.request('POST /repos/{owner}/{repo}/git/blobs', { ...split(repo), ...blob });
    return { ...file, sha: data.sha };
  };

  const filesBelow = async (repo: string, folder: string, ref: string): Promise<string[]> => {
    const listed = await found(
      client.request('GET /repos/{owner}/{repo}/contents/{path}', { ...split(repo), path: folder, ref }),
    );
    const entries = Array.isArray(listed?.data) ? listed.data : [];
    const nested = entries.map(async ({ type, path }) => (type === 'dir' ? await filesBelow(repo, path, ref) : [path]));
    return (await Promise.all(nested)).flat();
  };
  return {
    repository,
    filesBelow,
    async ensureRepository(repo, description) {
      const existing = await found(client.request('GET /repos/{owner}/{repo}', split(repo)));
      if (existing) return { defaultBranch: existing.data.default_branch, cloneUrl: existing.data.clone_url };
      const { owner, repo: name } = split(repo);
      try {
        await client.request('POST /orgs/{org}/repos', {
          org: owner,
          name,
          description,
          auto_init: true,
          private: true,
        });
      } catch (error) {
        // 422: made in between, perhaps by ourselves before a crash.
        if (statusOf(error) !== 422) await translating(`the new repo ${repo}`, Promise.reject(error as Error));
      }
      return await repository(repo);
    },
    async gitRemote(repo) {
      const url = cloneUrls.get(repo) ?? (await repository(repo)).cloneUrl;
      cloneUrls.set(repo, url);
      const basic = Buffer.from(`x-access-token:${await token()}`).toString('base64');
      return { url, authorization: `Basic ${basic}` };
    },
    branchHead,
    async commit(repo, sha) {
      const call = client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
        ...split(repo),
        commit_sha: sha,
      });
      const { data } = await translating(`the commit ${sha} of ${repo}`, call);
      return { sha: data.sha, message: data.message, parents: data.parents.map((parent) => parent.sha) };
    },
    async commitsBetween(repo, base, head) {
      const { commits } = await compare(repo, base, head);
      return commits.map(({ sha, commit }) => ({ sha, message: commit.message }));
    },
    async isAncestor(repo, ancestor, descendant) {
      const { status } = await compare(repo, ancestor, descendant);
      return status === 'ahead' || status === 'identical';
    },
    async readFile(repo, path, ref) {
      const file = await found(
        client.request('GET /repos/{owner}/{repo}/contents/{path}', {
          ...split(repo),
          path,
          ref,
          headers: { accept: 'application/vnd.github.raw+json' },
        }),
      );
      // Asked for raw, the answer is the file's text and not what the types say.
      return file && (file.data as unknown as string);
    },
    async fileSha(repo, path, ref) {
      const file = await found(
        client.request('GET /repos/{owner}/{repo}/contents/{path}', { ...split(repo), path, ref }),
      );
      return file && !Array.isArray(file.data) ? file.data.sha : undefined;
    },
    async commitFiles(repo, { branch, base, message, changes }) {
      const parent = await client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
        ...split(repo),
        commit_sha: base,
      });
      const tree = await client.request('POST /repos/{owner}/{repo}/git/trees', {
        ...split(repo),
        base_tree: parent.data.tree.sha,
        tree: await Promise.all(changes.map(async (change) => await treeEntry(repo, change))),
      });
      if (tree.data.sha === parent.data.tree.sha) return undefined;
      const commit = await client.request('POST /repos/{owner}/{repo}/git/commits', {
        ...split(repo),
        message,
        tree: tree.data.sha,
        parents: [base],
      });
      const { sha } = commit.data;
      if ((await branchHead(repo, branch)) === undefined)
        await client.request('POST /repos/{owner}/{repo}/git/refs', {
          ...split(repo),
          ref: `refs/heads/${branch}`,
          sha,
        });
      else
        await client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
          ...split(repo),
          ref: `heads/${branch}`,
          sha,
          force: true,
        });
      return sha;
    },
    async deleteBranch(repo, branch) {
      try {
        await client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ...split(repo), ref: `heads/${branch}` });
      } catch (error) {
        const status = statusOf(error);
        if (status !== 404 && status !== 422) throw error;
      }
    },
  };
}
