import { runGit } from '../../src/integrations/git/run-git.ts';
import type { Codehost, OrgCodehost, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import { type Conversation, toIssueTitle } from './conversation.ts';

/** Starts a code host without network: one repo on disk, and an issue for each conversation. */
export async function startFakeCodehost(gitDir: string): Promise<{
  codehost: Codehost;
  /** Opens an issue and returns its number. */
  openIssue(conversation: Conversation): number;
}> {
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', gitDir]);
  const git = async (...args: string[]): Promise<string> =>
    (await runGit(args, { gitDir, input: '', commitDate: '2026-01-01T00:00:00Z' })).output.toString().trim();
  const root = await git('commit-tree', await git('mktree'), '-m', 'Begin');
  await git('update-ref', 'refs/heads/main', root);

  const titles: string[] = [];
  const firstNumber = 1_000_000;
  const pull: Partial<PullRequest> = { number: 1, url: 'http://localhost/pulls/1', state: 'open', draft: true };
  const host: Partial<OrgCodehost> = {
    getGitRemote: async () => ({ url: gitDir, authorization: '' }),
    getRepository: async () => ({ defaultBranch: 'main', cloneUrl: gitDir, private: true }),
    findBranchHead: async (_, branch) =>
      (await git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)) || undefined,
    openPullRequest: async () => pull as PullRequest,
    getIssue: async (_, number) => ({
      number,
      title: titles[number - firstNumber] ?? '',
      body: '',
      url: `http://localhost/issues/${number}`,
      state: 'open',
      labels: [],
      author: 'ada',
      authorIsBot: false,
      isPullRequest: false,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    }),
  };
  return {
    codehost: { forOrg: async () => host as OrgCodehost },
    openIssue: (conversation) => firstNumber - 1 + titles.push(toIssueTitle(conversation)),
  };
}
