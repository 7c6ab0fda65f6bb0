import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Assignment } from '../../../activities/agents/assignment.ts';
import type { TurnContext } from '../../../activities/agents/turn.ts';
import { prepareWorkingTree, type WorkingTree, type Workspace } from '../../../activities/agents/working-tree.ts';
import type { RunContext } from '../../../activities/changes/run-context.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { defaultRoles } from '../../../src/rules/agents/default-workflows.ts';
import type { AgentStep } from '../../../src/rules/agents/kinds.ts';
import type { Conflict } from '../../../src/rules/agents/transcript-parts.ts';
import type { BranchFacts } from '../../../src/rules/changes/branch-violation.ts';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

export const branch = 'service/change-hello-7';
export const at = '2026-01-01T00:00:00.000Z';
/** The files of a commit; `null` deletes one. */
type Files = Record<string, string | null>;

/** Creates a code host that is a bare repo with one commit on `main`, and the workspace of a run on it. */
export async function createWorkspace(files: Files = { 'a.txt': 'one\n' }) {
  const folder = await createScratchFolder();
  const bare = join(folder, 'hello.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare], { stdio: 'pipe' });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const findRef = (ref: string): string | undefined => git('for-each-ref', '--format=%(objectname)', ref) || undefined;

  /** Commits to a branch as a person, in one call of git. */
  const commit = (to: string, changes: Files, { from = to, merge }: { from?: string; merge?: string } = {}): string => {
    const parent = findRef(`refs/heads/${from}`);
    const lines = Object.entries(changes).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    const input = [
      `commit refs/heads/${to}\ncommitter Ada <ada@example.com> ${commits++} +0000\ndata 4\nWork\n`,
      ...(parent === undefined ? [] : [`from ${parent}\n`]),
      ...(merge === undefined ? [] : [`merge ${merge}\n`]),
      ...lines,
    ].join('');
    execFileSync('git', ['-C', bare, 'fast-import', '--quiet', '--force'], { input, stdio: 'pipe' });
    return git('rev-parse', `refs/heads/${to}`);
  };
  let commits = 1;
  const base = commit('main', files);

  /** Commits the submodule `lib` at one of its commits, or its removal, to a branch. */
  const commitSubmodule = (to: string, sha: string | null): string => {
    git('read-tree', to);
    git(
      '--work-tree=.',
      'update-index',
      ...(sha === null ? ['--force-remove', 'lib'] : ['--add', '--cacheinfo', `160000,${sha},lib`]),
    );
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    git('update-ref', `refs/heads/${to}`, git(...identity, 'commit-tree', git('write-tree'), '-p', to, '-m', 'Work'));
    return git('rev-parse', `refs/heads/${to}`);
  };

  /** Lets the code host reject every push for good. */
  const rejectPushes = (reason: string): void => {
    mkdirSync(join(bare, 'hooks'), { recursive: true });
    writeFileSync(join(bare, 'hooks/pre-receive'), `#!/bin/sh\necho '${reason}' >&2\nexit 1\n`, { mode: 0o755 });
  };

  const facts: BranchFacts = { isDefault: false, isProtected: false, pullRequestsInto: [] };
  const remotes: string[] = [];
  const getRemote = (use: string) => async () => {
    remotes.push(use);
    return { url: bare, authorization: 'Basic c2VjcmV0' };
  };
  const host = {
    getGitRemote: getRemote('git'),
    getCiGitRemote: getRemote('ci'),
    getRepository: async () => ({ defaultBranch: 'main', cloneUrl: bare, private: true }),
    findBranchHead: async (_: string, name: string) => findRef(`refs/heads/${name}`),
    getBranchFacts: async () => facts,
  } as unknown as OrgCodehost;
  const run = {
    metadata: { namespace: 'org-acme', name: 'change-hello-7', uid: 'u1' },
    spec: { product: 'hello', steps: [], roles: {} },
  } as unknown as AgentWorkflowRun;
  const blobs = directoryBlobs(join(folder, 'blobs'));
  const gitRef = `refs/heads/${branch}`;
  const own = { org: 'acme', run, host, repo: 'acme/hello', branch, gitRef, pushRef: gitRef, isOwnBranch: true };

  /** Opens the workspace in a folder of its own, as another worker does. */
  const openWorkspace = (name = 'workspace', more: Partial<RunContext> = {}): Workspace => ({
    context: { ...own, ...more },
    folder: join(folder, name),
    blobs,
    signal: undefined,
  });

  /** Builds the context of a turn of an agent step. */
  const openTurn = (
    { mode = 'change', ...step }: Partial<AgentStep> = {},
    more: Partial<TurnContext> & { context?: Partial<RunContext> } = {},
  ): TurnContext => {
    const workspace = more.workspace ?? openWorkspace('turn', more.context);
    let prepared: Promise<WorkingTree> | undefined;
    const assignment = {
      ...workspace.context,
      step: { name: 'implement', type: 'agent', role: 'implementer', mode, ...step },
      role: defaultRoles['implementer'],
      orgLimits: {},
      hasNetwork: false,
    } as unknown as Assignment;
    return {
      deps: { blobs } as TurnContext['deps'],
      assignment,
      ref: { uid: 'u1', step: 'implement', turn: 1 },
      trigger: undefined,
      signal: undefined,
      prepareTree: (conflict?: Conflict) => (prepared ??= prepareWorkingTree(workspace, conflict)),
      at,
      now: () => new Date(at),
      ...more,
      workspace,
    };
  };
  return {
    folder,
    base,
    git,
    findRef,
    commit,
    commitSubmodule,
    rejectPushes,
    facts,
    remotes,
    host,
    run,
    blobs,
    openWorkspace,
    openTurn,
  };
}
