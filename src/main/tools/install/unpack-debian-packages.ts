import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../find-on-path.ts';
import { lastLine, runProgram } from '../run-program.ts';
import type { ToolSearch } from '../tool.ts';

type PackageRequest = {
  packages: readonly string[];
  /** Includes dependencies that this system does not have. */
  withDependencies: boolean;
  workDir: string;
  /** Called when apt-get is available and the download starts. */
  onStart: () => void;
};

/**
 * Unpacks packages of the distribution into a folder and installs nothing; apt's state stays in the working folder.
 * Returns that folder, or the reason why it failed.
 */
export async function unpackDebianPackages(
  { packages, withDependencies, workDir, onStart }: PackageRequest,
  { env }: ToolSearch,
): Promise<{ folder: string } | { missing: string }> {
  const aptGet = await findOnPath('apt-get', env);
  const dpkgDeb = await findOnPath('dpkg-deb', env);
  if (aptGet === undefined || dpkgDeb === undefined) return { missing: 'apt-get and dpkg-deb are not available' };

  onStart();
  const options = await createAptOptions(workDir);
  const run = { env, cwd: workDir, silenceMs: 5 * 60_000 };
  // The status is ignored because a system hook may fail without root after the lists have arrived.
  const updated = await runProgram(aptGet, [...options, 'update'], run);
  const command = withDependencies
    ? ['install', '--download-only', '--no-install-recommends', '--yes', '-o', 'Debug::NoLocking=1']
    : ['download'];
  const downloaded = await runProgram(aptGet, [...options, ...command, ...packages], run);
  if (!downloaded.ok)
    return { missing: `apt-get cannot download it (${lastLine(downloaded.output) || lastLine(updated.output)})` };
  const unpackAll = `for deb in *.deb cache/archives/*.deb; do [ ! -e "$deb" ] || "$0" -x "$deb" unpacked || exit 1; done`;
  const unpacked = await runProgram('sh', ['-c', unpackAll, dpkgDeb], run);
  return unpacked.ok
    ? { folder: join(workDir, 'unpacked') }
    : { missing: `its package cannot be unpacked (${lastLine(unpacked.output)})` };
}

async function createAptOptions(workDir: string): Promise<string[]> {
  const lists = join(workDir, 'lists');
  const cache = join(workDir, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  return [
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    // When run as root, apt drops to a user that cannot write to this folder.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=10',
    'Acquire::https::Timeout=10',
  ].flatMap((option) => ['-o', option]);
}
