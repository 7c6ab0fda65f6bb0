import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { ToolSearch } from './tool.ts';

type Wanted = {
  packages: readonly string[];
  /** Also what they need and this system does not have. */
  withDependencies: boolean;
  workDir: string;
  /** Told when there is something to fetch with. */
  onBegin: () => void;
};

/**
 * Takes packages of the distribution apart into a folder, with apt's state in the work folder: it installs nothing.
 * The answer is that folder, or why it could not be.
 */
export async function unpackFromDebian(
  { packages, withDependencies, workDir, onBegin }: Wanted,
  { env }: ToolSearch,
): Promise<{ folder: string } | { why: string }> {
  const aptGet = await findOnPath('apt-get', env);
  const dpkgDeb = await findOnPath('dpkg-deb', env);
  if (aptGet === undefined || dpkgDeb === undefined) return { why: 'there are no packages to take it from' };

  onBegin();
  const options = await privateState(workDir);
  const run = { env, cwd: workDir, timeoutMs: 5 * 60_000 };
  // Its status says nothing: a hook of the system's may fail for want of root after the lists have arrived.
  const updated = await runProgram(aptGet, [...options, 'update'], run);
  const how = withDependencies
    ? ['install', '--download-only', '--no-install-recommends', '--yes', '-o', 'Debug::NoLocking=1']
    : ['download'];
  const downloaded = await runProgram(aptGet, [...options, ...how, ...packages], run);
  if (!downloaded.ok)
    return { why: `apt-get cannot download it (${lastLine(downloaded.output) || lastLine(updated.output)})` };
  const unpackAll = `for deb in *.deb cache/archives/*.deb; do [ ! -e "$deb" ] || "$0" -x "$deb" unpacked || exit 1; done`;
  const unpacked = await runProgram('sh', ['-c', unpackAll, dpkgDeb], run);
  return unpacked.ok
    ? { folder: join(workDir, 'unpacked') }
    : { why: `its package cannot be unpacked (${lastLine(unpacked.output)})` };
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
