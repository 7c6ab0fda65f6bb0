import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath, isExecutable } from './find-on-path.ts';
import { makeOnce } from './make-once.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

const INSTALL = 'Install bubblewrap (for example "apt install bubblewrap") and try again.';

const ELSEWHERE = 'Run the platform in a Linux virtual machine (such as Lima or WSL 2).';

/** The program that runs agents' commands and Products' apps in a sandbox on Linux, tried out before it is answered. */
export async function bubblewrap(search: ToolSearch): Promise<Tool> {
  if (process.platform !== 'linux') {
    return { missing: `There is no sandbox for ${process.platform}: bubblewrap is for Linux only. ${ELSEWHERE}` };
  }
  const found = await findOrFetch(search);
  if ('missing' in found) return found;

  const tryOut = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--unshare-all', 'true'];
  const tried = await runProgram(found.path, tryOut, { env: search.env, timeoutMs: 10_000 });
  if (tried.ok) return found;
  const fix =
    'Allow user namespaces (on Ubuntu "sysctl kernel.apparmor_restrict_unprivileged_userns=0") and try again.';
  return { missing: `bubblewrap cannot make a sandbox on this machine (${lastLine(tried.output)}). ${fix}` };
}

async function findOrFetch(search: ToolSearch): Promise<Tool> {
  const installed = await findOnPath('bwrap', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, 'bwrap');
  if (await isExecutable(cached)) return { path: cached };
  return makeOnce(cached, search.onProgress, (workDir) => fetchFromDebian(workDir, search));
}

/** Takes the program out of the distribution's own package, with apt's state in the work folder: it installs nothing. */
async function fetchFromDebian(workDir: string, { env, onProgress }: ToolSearch): Promise<Tool> {
  const aptGet = await findOnPath('apt-get', env);
  const dpkgDeb = await findOnPath('dpkg-deb', env);
  if (aptGet === undefined || dpkgDeb === undefined) return { missing: `bubblewrap is not on PATH. ${INSTALL}` };

  onProgress('Fetching bubblewrap, the sandbox of agents (once)');
  const options = await privateState(workDir);
  const run = { env, cwd: workDir, timeoutMs: 2 * 60_000 };
  // Its status says nothing: a hook of the system's may fail for want of root after the lists have arrived.
  const updated = await runProgram(aptGet, [...options, 'update'], run);
  const downloaded = await runProgram(aptGet, [...options, 'download', 'bubblewrap'], run);
  if (!downloaded.ok) {
    const why = lastLine(downloaded.output) || lastLine(updated.output);
    return { missing: `bubblewrap is not on PATH and apt-get cannot download it (${why}). ${INSTALL}` };
  }
  const unpacked = await runProgram('sh', ['-c', `"$0" -x bubblewrap_*.deb unpacked`, dpkgDeb], run);
  const path = join(workDir, 'unpacked', 'usr', 'bin', 'bwrap');
  const works = unpacked.ok && (await runProgram(path, ['--version'], run)).ok;
  return works ? { path } : { missing: `The bubblewrap of this system's packages does not run here. ${INSTALL}` };
}

async function privateState(workDir: string): Promise<string[]> {
  const lists = join(workDir, 'lists');
  const cache = join(workDir, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  return [
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    // As root, apt would otherwise download as a user that may not write here.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=10',
    'Acquire::https::Timeout=10',
  ].flatMap((option) => ['-o', option]);
}
