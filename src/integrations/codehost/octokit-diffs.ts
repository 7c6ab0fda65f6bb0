import type { Diff, DiffFile, OrgCodehost } from './codehost.ts';
import { mapErrors } from './octokit-errors.ts';
import { type Client, interactive, parseRepo } from './octokit-client.ts';

/** The code host lists this many files of a commit or pull request, and fewer of a comparison. */
const filesMax = 3_000;
const comparedFilesMax = 300;
const emptyBlobSha = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

type RawFile = {
  filename: string;
  previous_filename?: string;
  status: string;
  sha: string | null;
  additions: number;
  deletions: number;
  changes: number;
  patch?: string;
};

export function diffOperations(
  client: Client,
): Pick<OrgCodehost, 'getCommitDiff' | 'getPullRequestDiff' | 'getBranchDiff'> {
  const compare = async (repo: string, basehead: string, page: { page: number; per_page: number }) => {
    const call = client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...parseRepo(repo),
      basehead,
      ...page,
      ...interactive,
    });
    return (await mapErrors(`the comparison ${basehead} in ${repo}`, call)).data;
  };
  const readCommitPage = async (repo: string, ref: string, page: number) => {
    const call = client.request('GET /repos/{owner}/{repo}/commits/{ref}', {
      ...parseRepo(repo),
      ref,
      page,
      ...interactive,
    });
    return await mapErrors(`the commit ${ref} of ${repo}`, call);
  };

  return {
    async getCommitDiff(repo, sha) {
      const files: RawFile[] = [];
      for (let page = 1; ; page += 1) {
        const { data, headers } = await readCommitPage(repo, sha, page);
        files.push(...(data.files ?? []));
        if (headers.link?.includes('rel="next"') === true && files.length < filesMax) continue;
        // A first commit has no parent, and is all added.
        const base = data.parents[0]?.sha ?? data.sha;
        return toDiff({ base, head: data.sha, files }, filesMax);
      }
    },
    async getPullRequestDiff(repo, number) {
      const path = { ...parseRepo(repo), pull_number: number, ...interactive };
      const what = `pull request ${repo}#${number}`;
      // The files are read after the head, so that they are never older than the head that is returned.
      const { data: pull } = await mapErrors(
        what,
        client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', path),
      );
      const listed = client.paginate('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', { ...path, per_page: 100 });
      const [files, comparison] = await Promise.all([
        mapErrors(what, listed),
        // Only the first page contains files, which are not needed here.
        compare(repo, `${pull.base.sha}...${pull.head.sha}`, { page: 2, per_page: 1 }),
      ]);
      const diff = toDiff({ base: comparison.merge_base_commit.sha, head: pull.head.sha, files }, filesMax);
      return { ...diff, isTruncated: pull.changed_files > files.length };
    },
    async getBranchDiff(repo, { base, head }) {
      const { files = [], merge_base_commit: fork } = await compare(repo, `${base}...${head}`, {
        page: 1,
        per_page: 1,
      });
      return toDiff({ base: fork.sha, head, files }, comparedFilesMax);
    },
  };
}

const toDiff = ({ base, head, files }: { base: string; head: string; files: RawFile[] }, max: number): Diff => ({
  base,
  head,
  files: files.map(toDiffFile),
  isTruncated: files.length >= max,
});

function toDiffFile({ filename, previous_filename: previousPath, status, additions, deletions, ...raw }: RawFile) {
  const omitted = findOmission({ status, ...raw });
  const file: DiffFile = { path: filename, status: toStatus(status), additions, deletions };
  if (previousPath !== undefined) file.previousPath = previousPath;
  if (raw.patch !== undefined) file.patch = raw.patch;
  if (omitted !== undefined) file.omitted = omitted;
  return file;
}

const toStatus = (status: string): DiffFile['status'] =>
  status === 'added' || status === 'removed' || status === 'renamed' || status === 'copied' ? status : 'modified';

/** The code host does not say why a file has no patch; it counts the lines of text only. */
function findOmission({
  status,
  changes,
  patch,
  sha,
}: Pick<RawFile, 'status' | 'changes' | 'patch' | 'sha'>): DiffFile['omitted'] {
  if (patch !== undefined) return undefined;
  if (changes > 0) return 'too-large';
  return status === 'renamed' || status === 'copied' || sha === emptyBlobSha ? undefined : 'binary';
}
