import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox } from '../../integrations/sandbox/bubblewrap.ts';
import { unpackDebianPackages } from './install/unpack-debian-packages.ts';
import { findOnPath } from './find-on-path.ts';
import { makeOnce } from './install/make-once.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

const INSTALL_FIX = 'Install bubblewrap (for example "apt install bubblewrap") and try again.';

const NAMESPACES_FIX =
  'Allow user namespaces (on Ubuntu "sysctl kernel.apparmor_restrict_unprivileged_userns=0") and try again.';
const VERSION_FIX = 'Install bubblewrap 0.8 or newer and try again.';
const NO_LINUX_FIX =
  'Run the platform in a Linux virtual machine (such as Lima or WSL 2), or in a cluster. SANDBOX=i-accept-that-agents-can-read-and-change-this-machine runs the commands of agents without a sandbox, and no apps.';

/** Returns the program that sandboxes agents' commands and Products' apps on Linux, after a test run. */
export async function ensureBubblewrap(search: ToolSearch, platform = process.platform): Promise<Tool> {
  if (platform !== 'linux') {
    return { missing: `No sandbox is available for ${platform}: bubblewrap requires Linux. ${NO_LINUX_FIX}` };
  }
  const found = await findOrDownload(search);
  if ('missing' in found) return found;

  const failure = await testSandbox(found.path);
  if (failure === undefined) return found;
  const isTooOld = /unknown option/i.test(failure);
  return {
    missing: `bubblewrap cannot create a sandbox on this machine (${failure}). ${isTooOld ? VERSION_FIX : NAMESPACES_FIX}`,
  };
}

/** Runs a command exactly as agents' commands run, because an older bubblewrap knows some of the options only. */
async function testSandbox(executable: string): Promise<string | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
  try {
    const { exitCode, output } = await bubblewrapSandbox({ executable }).run(
      { argv: ['true'], workspace: { path, writable: true } },
      { timeoutMs: 60_000, outputBytesMax: 4_000 },
    );
    return exitCode === 0 ? undefined : lastLine(output) || `it ended with status ${exitCode}`;
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Returns why a program in a sandbox cannot create another one, as a browser does for each page. */
export async function nestedSandboxViolation(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // The user of the browser: without capabilities, only another user than root may create a nested namespace.
  const user = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'];
  const outer = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--unshare-all', ...user];
  const inner = [path, '--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--unshare-net', 'true'];
  const test = await runProgram(path, [...outer, '--', ...inner], { env, silenceMs: 60_000 });
  if (test.ok) return undefined;
  return `The browser cannot isolate pages in its sandbox on this machine (${lastLine(test.output)}). ${NAMESPACES_FIX}`;
}

async function findOrDownload(search: ToolSearch): Promise<Tool> {
  const installed = await findOnPath('bwrap', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, 'bubblewrap', 'bwrap');
  return makeOnce(cached, search.onProgress, (workDir) => downloadFromDebian(workDir, search));
}

async function downloadFromDebian(workDir: string, search: ToolSearch): Promise<Tool> {
  const onStart = () => search.onProgress('Downloading bubblewrap, the sandbox of agents (once)');
  const request = { packages: ['bubblewrap'], withDependencies: false, workDir, onStart };
  const unpacked = await unpackDebianPackages(request, search);
  if ('missing' in unpacked) return { missing: `bubblewrap is not on PATH and ${unpacked.missing}. ${INSTALL_FIX}` };
  const path = join(unpacked.folder, 'usr', 'bin', 'bwrap');
  const works = (await runProgram(path, ['--version'], { env: search.env, silenceMs: 60_000 })).ok;
  return works ? { path } : { missing: `The bubblewrap of this system's packages does not run here. ${INSTALL_FIX}` };
}
