import { join } from 'node:path';
import { unpackFromDebian } from './debian-packages.ts';
import { findOnPath } from './find-on-path.ts';
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
  const cached = join(search.cacheDir, 'bubblewrap', 'bwrap');
  return makeOnce(cached, search.onProgress, (workDir) => fetchFromDebian(workDir, search));
}

async function fetchFromDebian(workDir: string, search: ToolSearch): Promise<Tool> {
  const onBegin = () => search.onProgress('Fetching bubblewrap, the sandbox of agents (once)');
  const wanted = { packages: ['bubblewrap'], withDependencies: false, workDir, onBegin };
  const unpacked = await unpackFromDebian(wanted, search);
  if ('why' in unpacked) return { missing: `bubblewrap is not on PATH and ${unpacked.why}. ${INSTALL}` };
  const path = join(unpacked.folder, 'usr', 'bin', 'bwrap');
  const works = (await runProgram(path, ['--version'], { env: search.env, timeoutMs: 10_000 })).ok;
  return works ? { path } : { missing: `The bubblewrap of this system's packages does not run here. ${INSTALL}` };
}
