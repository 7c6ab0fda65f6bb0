import { runGit } from '../../src/integrations/git/run-git.ts';
import type { Codehost, OrgCodehost, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import { type Conversation, titleOf } from './conversation.ts';

/** A code host that answers at once: one repo on this disk, and an issue for each conversation to be had. */
export async function startIssueHost(gitDir: string): Promise<{
  codehost: Codehost;
  /** Answers the number of a new issue. */
  open(conversation: Conversation): number;
}> {
  await runGit(['init', '--quiet', '--bare', '--initial-branch=main', gitDir]);
  const git = async (...args: string[]): Promise<string> =>
    (await runGit(args, { gitDir, input: '', at: '2026-01-01T00:00:00Z' })).output.toString().trim();
  const root = await git('commit-tree', await git('mktree'), '-m', 'Begin');
  await git('update-ref', 'refs/heads/main', root);

  const titles: string[] = [];
  const firstNumber = 1_000_000;
  const pull: Partial<PullRequest> = { number: 1, url: 'http://localhost/pulls/1', state: 'open', draft: true };
  const host: Partial<OrgCodehost> = {
    gitRemote: async () => ({ url: gitDir, authorization: '' }),
    repository: async () => ({ defaultBranch: 'main', cloneUrl: gitDir, private: true }),
    branchHead: async (_, branch) =>
      (await git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)) || undefined,
    openPullRequest: async () => pull as PullRequest,
    issue: async (_, number) => ({
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
    open: (conversation) => firstNumber - 1 + titles.push(titleOf(conversation)),
  };
}
