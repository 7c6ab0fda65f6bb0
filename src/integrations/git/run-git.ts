import { execFile } from 'node:child_process';

/** What git needs to reach a repo; the authorization is the value of an HTTP header. */
export type GitRemote = { url: string; authorization?: string };

export type GitCall = {
  /** Runs in this git folder and work tree instead of looking for one. */
  gitDir?: string;
  workTree?: string;
  remote?: GitRemote;
  input?: string | Uint8Array;
  /** ISO time of the commits that are made. */
  at?: string;
  /** Statuses beside 0 that are answers, not faults. */
  alsoFine?: number[];
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

export type GitResult = { status: number; output: Buffer };

const identity = { name: 'Delivery Service', email: 'service@localhost' };
/** Large enough for any diff that we let a turn make; git itself streams to us, so this bounds our memory. */
const outputBytesMax = 64 * 1024 * 1024;
const defaultTimeoutMs = 10 * 60_000;

/** What a hostile repository could have run by git, switched off; nothing of the host's own settings is read. */
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

/** Runs git; what failed is told without the authorization, which is handed over in the environment only. */
export async function runGit(args: string[], call: GitCall = {}): Promise<GitResult> {
  const { gitDir, workTree, remote, input, alsoFine = [], signal, timeoutMs = defaultTimeoutMs } = call;
  const where = [...(gitDir ? [`--git-dir=${gitDir}`] : []), ...(workTree ? [`--work-tree=${workTree}`] : [])];
  const options = {
    env: environment(remote, call.at),
    cwd: workTree ?? '/',
    maxBuffer: outputBytesMax,
    timeout: timeoutMs,
    killSignal: 'SIGKILL' as const,
    encoding: 'buffer' as const,
    ...(signal && { signal }),
  };
  return await new Promise((resolve, reject) => {
    const child = execFile('git', [...where, ...args], options, (error, output, errorOutput) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number' && (status === 0 || alsoFine.includes(status))) return resolve({ status, output });
      if (signal?.aborted) return reject(signal.reason);
      const said = errorOutput.toString().trim().slice(-2000) || error?.message || 'no reason given';
      reject(new Error(`git ${args[0]} failed: ${withoutSecret(said, remote)}`));
    });
    // Git may end before it has read all of its input; its status says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function environment(remote: GitRemote | undefined, at: string | undefined): Record<string, string> {
  const settings = { ...safeSettings, ...remoteSettings(remote) };
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
    ...(at && { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }),
  };
  for (const [index, [key, value]] of Object.entries(settings).entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

function remoteSettings(remote: GitRemote | undefined): Record<string, string> {
  if (!remote) return {};
  const scheme = /^(https?):/.exec(remote.url)?.[1] ?? 'file';
  return {
    [`protocol.${scheme}.allow`]: 'always',
    // Bound to the repo's own address: a redirect elsewhere does not get it.
    ...(remote.authorization && { [`http.${remote.url}.extraHeader`]: `Authorization: ${remote.authorization}` }),
  };
}

function withoutSecret(text: string, remote: GitRemote | undefined): string {
  return remote?.authorization ? text.replaceAll(remote.authorization, '[authorization]') : text;
}
