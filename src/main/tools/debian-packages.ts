import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

type Wanted = {
  packages: readonly string[];
  /** With the libraries that they need and this machine has not. */
  libraries?: boolean;
};

/** Takes programs out of the distribution's own packages, with apt's state in the work folder: it installs nothing. Answers the tree. */
export async function unpackPackages(
  { packages, libraries = false }: Wanted,
  { workDir, env }: Pick<ToolSearch, 'env'> & { workDir: string },
): Promise<Tool> {
  const aptGet = await findOnPath('apt-get', env);
  const dpkgDeb = await findOnPath('dpkg-deb', env);
  if (aptGet === undefined || dpkgDeb === undefined) return { missing: 'there are no packages to take it from' };

  const options = await privateState(workDir);
  const run = { env, cwd: workDir, timeoutMs: 2 * 60_000 };
  // Its status says nothing: a hook of the system's may fail for want of root after the lists have arrived.
  const updated = await runProgram(aptGet, [...options, 'update'], run);
  const needed = libraries ? await missingLibraries(packages, { options, run }) : [];
  const downloaded = await runProgram(aptGet, [...options, 'download', ...packages, ...needed], run);
  if (!downloaded.ok) {
    const why = lastLine(downloaded.output) || lastLine(updated.output);
    return { missing: `apt-get cannot download it (${why})` };
  }
  const unpacked = await runProgram('sh', ['-c', `for deb in *.deb; do "$0" -x "$deb" unpacked; done`, dpkgDeb], run);
  return unpacked.ok ? { path: join(workDir, 'unpacked') } : { missing: `it cannot be unpacked (${unpacked.output})` };
}

type Apt = { options: string[]; run: { env: NodeJS.ProcessEnv; cwd: string; timeoutMs: number } };

async function missingLibraries(packages: readonly string[], { options, run }: Apt): Promise<string[]> {
  const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);
  const listed = await runProgram('apt-cache', [...options, 'depends', '--recurse', ...kinds, ...packages], run);
  const libraries = [...new Set(listed.output.split('\n').filter((line) => /^lib[\w.+-]+$/.test(line)))];
  const query = ['--show', '--showformat', '${Package} ${db:Status-Status}\n', ...libraries];
  const { output } = await runProgram('dpkg-query', query, run);
  const installed = new Set(
    output.split('\n').flatMap((line) => (line.endsWith(' installed') ? line.split(' ')[0] : [])),
  );
  return libraries.filter((library) => !installed.has(library));
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
