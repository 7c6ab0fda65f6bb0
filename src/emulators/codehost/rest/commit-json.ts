import { findAccountByEmail, toAccountJson } from '../accounts.ts';
import type { FileDiff } from '../git/diffs.ts';
import type { Commit } from '../git/commits.ts';
import type { Host } from '../host.ts';
import { repositoryApiUrl, repositoryUrl } from '../repositories.ts';
import type { Repository } from '../tables.ts';

const toNodeId = (sha: string): string => `C_${Buffer.from(sha).toString('base64url')}`;
const verification = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };

export function toCommitJson(host: Host, repository: Repository, commit: Commit) {
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  const person = (email: string) => {
    const account = findAccountByEmail(host, email);
    return account === undefined ? null : toAccountJson(host, account);
  };
  const { sha, tree, parents, author, committer, message } = commit;
  return {
    sha,
    node_id: toNodeId(sha),
    commit: {
      author,
      committer,
      message,
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
      url: `${api}/git/commits/${sha}`,
      comment_count: 0,
      verification,
    },
    url: `${api}/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    author: person(author.email),
    committer: person(committer.email),
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${api}/commits/${parent}`,
      html_url: `${html}/commit/${parent}`,
    })),
  };
}

/** The form of a commit in the git data API. */
export function toGitCommitJson(
  host: Host,
  repository: Repository,
  { sha, tree, parents, author, committer, message }: Commit,
) {
  const api = repositoryApiUrl(host, repository);
  const html = repositoryUrl(host, repository);
  return {
    sha,
    node_id: toNodeId(sha),
    url: `${api}/git/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
    author,
    committer,
    tree: { sha: tree, url: `${api}/git/trees/${tree}` },
    message,
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${api}/git/commits/${parent}`,
      html_url: `${html}/commit/${parent}`,
    })),
    verification,
  };
}

export function toFileJson(host: Host, repository: Repository, { file, sha }: { file: FileDiff; sha: string }) {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    ...file,
    blob_url: `${repositoryUrl(host, repository)}/blob/${sha}/${path}`,
    raw_url: `${repositoryUrl(host, repository)}/raw/${sha}/${path}`,
    contents_url: `${repositoryApiUrl(host, repository)}/contents/${path}?ref=${sha}`,
  };
}
