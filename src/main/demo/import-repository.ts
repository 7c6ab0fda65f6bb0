import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBuildViolation } from './find-build-violation.ts';
import { assertHasCommit, explainCloneFailure, lastFatalLine, type Repository } from './inspect-repository.ts';
import { runGit } from './run-git.ts';

export type CodehostAccess = { codehostUrl: string; codehostToken: string };
export type ImportOptions = {
  repository: Repository;
  /** `acme/shop` */
  fullName: string;
  printLine: (line: string) => void;
};

export type ImportedRepository = {
  /** The reason why the default branch cannot be released as it is. */
  buildViolation: string | undefined;
};

const progressIntervalMs = 5_000;

/** Pushes the default branch as `main`, unless the code host's copy has commits of its own. */
export async function importRepository(
  codehost: CodehostAccess,
  { repository, fullName, printLine }: ImportOptions,
): Promise<ImportedRepository> {
  const target = `${codehost.codehostUrl}/${fullName}.git`;
  const env = toCredentials(codehost);
  const folder = await mkdtemp(join(tmpdir(), 'demo-repo-'));
  const git = async (...args: string[]) => await runGit(['--git-dir', folder, ...args], { env });
  try {
    const onProgress = everyFewSeconds(`Copying the repository ${repository.source} to the code host`, printLine);
    const cloned = await runGit(['clone', '--bare', '--progress', '--', repository.location, folder], {
      env: { GIT_LFS_SKIP_SMUDGE: '1' },
      onProgress,
    });
    if (!cloned.ok) throw new Error(explainCloneFailure(repository, cloned));
    await assertHasCommit(['--git-dir', folder], repository.source);
    await git('fetch', '--quiet', '--no-tags', target, '+refs/heads/main:refs/demo/main');
    const hasCopy = (await git('rev-parse', '--verify', '--quiet', 'refs/demo/main')).ok;
    const isAncestor = async (one: string, other: string) => (await git('merge-base', '--is-ancestor', one, other)).ok;
    const isNewer = !hasCopy || (await isAncestor('refs/demo/main', 'HEAD'));
    if (isNewer) {
      const push = ['--git-dir', folder, 'push', '--progress', target, 'HEAD:refs/heads/main'];
      const pushed = await runGit(push, { env, onProgress });
      const failure = `The repository ${repository.source} cannot be pushed to the code host`;
      if (!pushed.ok) throw new Error(`${failure}: ${lastFatalLine(pushed.stderr)}`);
    } else if (!(await isAncestor('HEAD', 'refs/demo/main')))
      printLine(
        `The code host has its own commits of ${repository.source}, so your new commits are not part of the demo.`,
      );
    const main = isNewer ? 'HEAD' : 'refs/demo/main';
    for (const note of [...repository.notes, ...(await listMissingParts(git, main))]) printLine(note);
    return { buildViolation: await findBuildViolation(folder, main) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const isOnCodehost =
  (codehost: CodehostAccess, org: string) =>
  async (name: string): Promise<boolean> => {
    const args = ['ls-remote', '--exit-code', `${codehost.codehostUrl}/${org}/${name}.git`, 'HEAD'];
    return (await runGit(args, { env: toCredentials(codehost) })).ok;
  };

/**
 * The token is passed by environment, because arguments are world-readable. The code host is on this machine, so a proxy
 * would neither reach it nor may learn the token.
 */
function toCredentials({ codehostUrl, codehostToken }: CodehostAccess): Record<string, string> {
  const authorization = `Basic ${Buffer.from(`owner:${codehostToken}`).toString('base64')}`;
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `http.${codehostUrl}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
    GIT_CONFIG_KEY_1: `http.${codehostUrl}/.proxy`,
    GIT_CONFIG_VALUE_1: '',
  };
}

async function listMissingParts(
  git: (...args: string[]) => Promise<{ ok: boolean; stdout: string }>,
  commit: string,
): Promise<string[]> {
  const hasSubmodules = (await git('cat-file', '-e', `${commit}:.gitmodules`)).ok;
  const usesLfs = (await git('grep', '--quiet', 'filter=lfs', commit, '--', '.gitattributes', '**/.gitattributes')).ok;
  const isNode = (await git('cat-file', '-e', `${commit}:package.json`)).ok;
  const { stdout: requirements } = await git('show', `${commit}:requirements.txt`);
  return [
    ...(!isNode && /^[ \t]*[A-Za-z0-9]/m.test(requirements)
      ? [
          'The builder of one machine does not install the packages of requirements.txt: an app that imports them ends at its start.',
        ]
      : []),
    ...(hasSubmodules
      ? ['The repository has submodules, which are not part of the build: their folders are empty.']
      : []),
    ...(usesLfs
      ? ['The repository has Git LFS files, which are built as pointer files instead of their content.']
      : []),
  ];
}

function everyFewSeconds(message: string, printLine: (line: string) => void): (progress: string) => void {
  let lastAt = Date.now();
  printLine(`${message}…`);
  return (progress) => {
    if (Date.now() - lastAt < progressIntervalMs) return;
    lastAt = Date.now();
    printLine(`${message}: ${progress}`);
  };
}
