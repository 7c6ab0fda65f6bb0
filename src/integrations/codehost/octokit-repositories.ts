import { readStart } from '../../read-start.ts';
import type { FileChange, OrgCodehost } from './codehost.ts';
import { orUndefined, findHttpStatus, mapErrors } from './octokit-errors.ts';
import { type Client, interactive, parseRepo } from './octokit-client.ts';

type RepositoryOperations = Pick<
  OrgCodehost,
  | 'getRepository'
  | 'findRepository'
  | 'assertMayCreateRepository'
  | 'ensureRepository'
  | 'getGitRemote'
  | 'getCiGitRemote'
  | 'createCloneCredentials'
  | 'findBranchHead'
  | 'getCommit'
  | 'isAncestor'
  | 'readFile'
  | 'findFileSha'
  | 'listFiles'
  | 'commitFiles'
>;

/** The files that the service writes are smaller, and one of a code host may have 100 MB. */
const fileBytesMax = 1024 * 1024;

/** Every git client of the code host sends a token as the password of this user. */
const tokenUser = 'x-access-token';

export type TokenSource = (options?: { refresh?: boolean }) => Promise<{ token: string }>;

export function repositoryOperations(client: Client, getToken: TokenSource): RepositoryOperations {
  const getRepository = async (repo: string) => {
    const { data } = await mapErrors(`the repo ${repo}`, client.request('GET /repos/{owner}/{repo}', parseRepo(repo)));
    return { defaultBranch: data.default_branch, cloneUrl: data.clone_url, private: data.private };
  };
  const cloneUrls = new Map<string, string>();
  const findBranchHead = async (repo: string, branch: string): Promise<string | undefined> => {
    const ref = await orUndefined(
      client.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ...parseRepo(repo), ref: `heads/${branch}` }),
    );
    return ref?.data.object.sha;
  };
  const getGitRemote = async (repo: string): Promise<{ url: string; authorization: string }> => {
    const url = cloneUrls.get(repo) ?? (await getRepository(repo)).cloneUrl;
    cloneUrls.set(repo, url);
    const { token } = await getToken();
    const basic = Buffer.from(`${tokenUser}:${token}`).toString('base64');
    return { url, authorization: `Basic ${basic}` };
  };
  const compare = async (repo: string, base: string, head: string) => {
    const call = client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...parseRepo(repo),
      basehead: `${base}...${head}`,
      per_page: 1,
    });
    return (await mapErrors(`the comparison of ${base} and ${head} in ${repo}`, call)).data;
  };

  const treeEntry = async (repo: string, { path, content }: FileChange) => {
    const file = { path, mode: '100644', type: 'blob' } as const;
    if (content === null) return { ...file, sha: null };
    if (typeof content === 'string') return { ...file, content };
    const blob = { content: Buffer.from(content).toString('base64'), encoding: 'base64' };
    const { data } = await client.request('POST /repos/{owner}/{repo}/git/blobs', { ...parseRepo(repo), ...blob });
    return { ...file, sha: data.sha };
  };

  const listFiles = async (repo: string, folder: string, ref: string): Promise<string[]> => {
    const listed = await orUndefined(
      client.request('GET /repos/{owner}/{repo}/contents/{path}', { ...parseRepo(repo), path: folder, ref }),
    );
    const entries = Array.isArray(listed?.data) ? listed.data : [];
    const nested = entries.map(async ({ type, path }) => (type === 'dir' ? await listFiles(repo, path, ref) : [path]));
    return (await Promise.all(nested)).flat();
  };
  return {
    getRepository,
    listFiles,
    async findRepository(repo) {
      const call = orUndefined(client.request('GET /repos/{owner}/{repo}', parseRepo(repo)));
      const found = await mapErrors(`the repo ${repo}`, call);
      return found && { defaultBranch: found.data.default_branch, description: found.data.description ?? '' };
    },
    async assertMayCreateRepository(repo) {
      // The code host issues no token with a permission that the application lacks.
      const call = orUndefined(client.request('GET /repos/{owner}/{repo}', { ...parseRepo(repo), ...interactive }));
      await mapErrors(`the new repo ${repo}`, call);
    },
    async ensureRepository(repo, description) {
      const existing = await orUndefined(client.request('GET /repos/{owner}/{repo}', parseRepo(repo)));
      if (existing) return { defaultBranch: existing.data.default_branch, cloneUrl: existing.data.clone_url };
      const { owner, repo: name } = parseRepo(repo);
      try {
        await client.request('POST /orgs/{org}/repos', {
          org: owner,
          name,
          description,
          auto_init: true,
          private: true,
        });
      } catch (error) {
        // A 422 means that another process, or this one before a crash, created the repo in between.
        if (findHttpStatus(error) !== 422) await mapErrors(`the new repo ${repo}`, Promise.reject(error as Error));
      }
      return await getRepository(repo);
    },
    // The scope of the token is the difference between the two.
    getGitRemote,
    getCiGitRemote: getGitRemote,
    async createCloneCredentials(repo) {
      const { cloneUrl: url } = await getRepository(repo);
      // A cached token may expire in a minute.
      const { token } = await getToken({ refresh: true });
      return { url, username: tokenUser, password: token };
    },
    findBranchHead,
    async getCommit(repo, sha) {
      const call = client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
        ...parseRepo(repo),
        commit_sha: sha,
      });
      const { data } = await mapErrors(`the commit ${sha} of ${repo}`, call);
      return { sha: data.sha, message: data.message, parents: data.parents.map((parent) => parent.sha) };
    },
    async isAncestor(repo, ancestor, descendant) {
      const { status } = await compare(repo, ancestor, descendant);
      return status === 'ahead' || status === 'identical';
    },
    async readFile(repo, path, ref) {
      const file = await orUndefined(
        client.request('GET /repos/{owner}/{repo}/contents/{path}', {
          ...parseRepo(repo),
          path,
          ref,
          headers: { accept: 'application/vnd.github.raw+json' },
          request: { parseSuccessResponseBody: false },
        }),
      );
      // With the raw media type, the response is the file itself, which the types do not know.
      const body = file && (file.data as unknown as AsyncIterable<Uint8Array>);
      return body && (await readStart(body, fileBytesMax));
    },
    async findFileSha(repo, path, ref) {
      const file = await orUndefined(
        client.request('GET /repos/{owner}/{repo}/contents/{path}', { ...parseRepo(repo), path, ref }),
      );
      return file && !Array.isArray(file.data) ? file.data.sha : undefined;
    },
    async commitFiles(repo, { branch, base, message, changes }) {
      const parent = await client.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
        ...parseRepo(repo),
        commit_sha: base,
      });
      const tree = await client.request('POST /repos/{owner}/{repo}/git/trees', {
        ...parseRepo(repo),
        base_tree: parent.data.tree.sha,
        tree: await Promise.all(changes.map(async (change) => await treeEntry(repo, change))),
      });
      if (tree.data.sha === parent.data.tree.sha) return undefined;
      const commit = await client.request('POST /repos/{owner}/{repo}/git/commits', {
        ...parseRepo(repo),
        message,
        tree: tree.data.sha,
        parents: [base],
      });
      const { sha } = commit.data;
      if ((await findBranchHead(repo, branch)) === undefined)
        await client.request('POST /repos/{owner}/{repo}/git/refs', {
          ...parseRepo(repo),
          ref: `refs/heads/${branch}`,
          sha,
        });
      else
        await client.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', {
          ...parseRepo(repo),
          ref: `heads/${branch}`,
          sha,
          force: true,
        });
      return sha;
    },
  };
}
