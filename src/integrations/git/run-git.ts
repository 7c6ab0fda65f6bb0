import { runProcess } from '../../processes/run-process.ts';

/** The address of a repo, with the value of the Authorization header. */
export type GitRemote = { url: string; authorization?: string };

export type GitCall = {
  /** Uses this git folder and working tree instead of discovering them. */
  gitDir?: string;
  workTree?: string;
  remote?: GitRemote;
  input?: string | Uint8Array;
  /** The ISO time of new commits. */
  commitDate?: string;
  /** Exit statuses other than 0 that are results, not errors. */
  allowedStatuses?: number[];
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/** `messages` is what git wrote for people, which includes what the code host says. */
export type GitResult = { status: number; output: Buffer; messages: string };

/** Runs git in one place, and returns its output as text. */
export type Git = (args: string[], more?: GitCall) => Promise<string>;

const identity = { name: 'Delivery Service', email: 'service@localhost' };
/** Larger than any diff that a turn may produce; it bounds the memory of this process. */
const outputBytesMax = 64 * 1024 * 1024;
const defaultTimeoutMs = 10 * 60_000;

const memoryKiBMax = 2 * 1024 ** 2;
/**
 * Limits what the files of a working tree can make git allocate: it reads each ignore file on the way to a folder as a
 * whole, and a file without content takes no space on the disk. A command in the sandbox has the same limit.
 */
const boundedGit = ['/bin/sh', '-c', `ulimit -d ${memoryKiBMax} 2>/dev/null; exec git "$@"`, 'git'];

/** Disables every setting through which a hostile repository could run programs. Settings of the host are not read. */
const safeSettings: Record<string, string> = {
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.autocrlf': 'false',
  'core.quotePath': 'false',
  'credential.helper': '',
  'commit.gpgSign': 'false',
  'diff.external': '',
  'diff.ignoreSubmodules': 'all',
  'fetch.recurseSubmodules': 'false',
  'submodule.recurse': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'merge.renames': 'true',
  'protocol.allow': 'never',
};

/** Runs git. The authorization is passed only in the environment, and redacted from errors. */
export async function runGit(args: string[], call: GitCall = {}): Promise<GitResult> {
  const { gitDir, workTree, remote, input, allowedStatuses = [], signal, timeoutMs = defaultTimeoutMs } = call;
  const location = [...(gitDir ? [`--git-dir=${gitDir}`] : []), ...(workTree ? [`--work-tree=${workTree}`] : [])];
  const isBounded = workTree !== undefined && remote === undefined;
  const [command = '', ...prefix] = isBounded ? boundedGit : ['git'];
  const start = {
    command,
    args: [...prefix, ...location, ...args],
    env: toEnvironment(remote, call.commitDate),
    cwd: workTree ?? '/',
    input,
    timeoutMs,
    outputBytesMax,
  };
  const { status, stdout, stderr, failure } = await runProcess(start, signal);
  const messages = redactAuthorization(stderr.toString().trim(), remote);
  if (failure === undefined && status !== null && (status === 0 || allowedStatuses.includes(status)))
    return { status, output: stdout, messages };
  throw new Error(`git ${args[0]} failed: ${messages.slice(-2000) || failure || `status ${status}`}`);
}

function toEnvironment(remote: GitRemote | undefined, commitDate: string | undefined): Record<string, string> {
  const settings = { ...safeSettings, ...toRemoteSettings(remote) };
  const variables: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...(commitDate && { GIT_AUTHOR_DATE: commitDate, GIT_COMMITTER_DATE: commitDate }),
  };
  for (const [index, [key, value]] of Object.entries(settings).entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

function toRemoteSettings(remote: GitRemote | undefined): Record<string, string> {
  if (!remote) return {};
  const scheme = /^(https?):/.exec(remote.url)?.[1] ?? 'file';
  return {
    [`protocol.${scheme}.allow`]: 'always',
    // The header is bound to the repo's URL, so a redirect to another host does not receive it.
    ...(remote.authorization && { [`http.${remote.url}.extraHeader`]: `Authorization: ${remote.authorization}` }),
  };
}

function redactAuthorization(text: string, remote: GitRemote | undefined): string {
  return remote?.authorization ? text.replaceAll(remote.authorization, '[authorization]') : text;
}
