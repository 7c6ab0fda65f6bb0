import { join } from 'node:path';
import { unpackDebianPackages } from '../../../src/main/tools/install/unpack-debian-packages.ts';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

/** The programs of a package, which are on PATH or unpacked once into the cache of tools. */
export type Programs = { pathTo: (name: string) => string; env: NodeJS.ProcessEnv };

type ProgramRequest = {
  packages: readonly [string, ...string[]];
  /** The program to look for on PATH; the others are expected to be on PATH too. */
  probe: string;
  /** The names of programs in `sbin`. */
  inSbin?: readonly string[];
  /** The end of the progress message "Downloading …, which". */
  purpose: string;
};

const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);

export async function ensureDebianPrograms({ packages, probe, inSbin = [], purpose }: ProgramRequest) {
  if ((await findOnPath(probe, env)) !== undefined) return { pathTo: (name: string) => name, env } satisfies Programs;
  const cached = join(toolCacheDir(env), packages[0]);
  const tree = await makeOnce(cached, onProgress, async (workDir) => {
    const onStart = () => onProgress(`Downloading ${packages.join(' and ')}, which ${purpose} (once)`);
    const request = { packages, withDependencies: true, workDir, onStart };
    const unpacked = await unpackDebianPackages(request, { cacheDir: toolCacheDir(env), env, onProgress });
    return 'folder' in unpacked ? { path: unpacked.folder } : unpacked;
  });
  if ('missing' in tree)
    return { missing: `${probe} is not on PATH and ${tree.missing}. Install "${packages.join(' ')}".` };
  const usr = join(tree.path, 'usr');
  const arch = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const LD_LIBRARY_PATH = [join(usr, 'lib', arch), join(usr, 'lib')].join(':');
  const folder = (name: string): string => (inSbin.includes(name) ? 'sbin' : 'bin');
  return {
    pathTo: (name: string) => join(usr, folder(name), name),
    env: { ...env, LD_LIBRARY_PATH },
  } satisfies Programs;
}
