import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { openCheckout } from '../../src/integrations/git/checkout.ts';
import { scaffoldTrailer } from '../../src/rules/products/source.ts';
import type { SourceFile } from '../../src/rules/products/source-file.ts';
import { throwPushRefusal } from '../codehost/throw-push-refusal.ts';

type SourcePush = {
  repo: string;
  branch: string;
  /** Identifies the commit, so that a retry finds it. */
  uid: string;
  subject: string;
  commitDate: string;
  readFiles: () => AsyncIterable<SourceFile>;
  signal: AbortSignal;
};

/**
 * Replaces the content of a new repo by these files, in one commit. A retry returns the commit of the earlier attempt.
 * Returns undefined when the branch has commits of others, which would be lost.
 */
export async function pushSource(host: OrgCodehost, push: SourcePush): Promise<string | undefined> {
  const { repo, branch, uid, subject, commitDate, signal } = push;
  const folder = await mkdtemp(join(tmpdir(), 'source-'));
  try {
    const getRemote = async ({ changesCiFiles }: { changesCiFiles: boolean }) =>
      await (changesCiFiles ? host.getCiGitRemote(repo) : host.getGitRemote(repo));
    const checkout = await openCheckout({ folder, getRemote, signal });
    const ref = `refs/heads/${branch}`;
    const { [ref]: head } = await checkout.resolveRemoteRefs([ref]);
    if (head === undefined) throw new Error(`The code host has not created the first commit of ${repo} yet.`);
    await checkout.fetch([head]);
    const commits = await checkout.listCommits(scaffoldTrailer, undefined, head);
    const earlier = commits.find(({ trailer }) => trailer === uid);
    if (earlier) return earlier.sha;
    // The code host creates a repo with one commit.
    if (commits.length !== 1) return undefined;
    await checkout.reset(head);
    await replaceFiles(checkout.workingTree, push.readFiles());
    await checkout.stage();
    const message = `${subject}\n\n${scaffoldTrailer}: ${uid}\n`;
    const commit = await checkout.commit({ message, parents: [head], commitDate });
    if ((await checkout.push(commit, ref, head).catch(throwPushRefusal())) === 'moved')
      throw new Error(`The branch "${branch}" of ${repo} moved while the first files were pushed.`);
    return commit;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replaceFiles(tree: string, files: AsyncIterable<SourceFile>): Promise<void> {
  for (const name of await readdir(tree)) await rm(join(tree, name), { recursive: true, force: true });
  for await (const { path, content, executable } of files) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), content, { flag: 'wx' });
    if (executable) await chmod(join(tree, path), 0o755);
  }
}
