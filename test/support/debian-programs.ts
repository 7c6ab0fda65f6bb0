import { join } from 'node:path';
import { unpackFromDebian } from '../../src/main/tools/debian-packages.ts';
import { findOnPath } from '../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../src/main/tools/make-once.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';

/** Programs of a package: on PATH where it is installed, else unpacked once beside the other tools. */
export type Programs = { run: (name: string) => string; env: NodeJS.ProcessEnv };

type Wanted = {
  packages: readonly [string, ...string[]];
  /** One of the programs: where it is on PATH, all are. */
  probe: string;
  /** Those that stand in `sbin`. */
  inSbin?: readonly string[];
  /** In words: what for. */
  purpose: string;
};

const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);

export async function debianPrograms({ packages, probe, inSbin = [], purpose }: Wanted) {
  if ((await findOnPath(probe, env)) !== undefined) return { run: (name: string) => name, env } satisfies Programs;
  const kept = join(toolCacheDir(env), packages[0]);
  const tree = await makeOnce(kept, onProgress, async (workDir) => {
    const onBegin = () => onProgress(`Fetching ${packages.join(' and ')}, which ${purpose} (once)`);
    const wanted = { packages, withDependencies: true, workDir, onBegin };
    const unpacked = await unpackFromDebian(wanted, { cacheDir: toolCacheDir(env), env, onProgress });
    return 'folder' in unpacked ? { path: unpacked.folder } : { missing: unpacked.why };
  });
  if ('missing' in tree)
    return { missing: `${probe} is not on PATH and ${tree.missing}. Install "${packages.join(' ')}".` };
  const usr = join(tree.path, 'usr');
  const arch = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const LD_LIBRARY_PATH = [join(usr, 'lib', arch), join(usr, 'lib')].join(':');
  const folder = (name: string): string => (inSbin.includes(name) ? 'sbin' : 'bin');
  return { run: (name: string) => join(usr, folder(name), name), env: { ...env, LD_LIBRARY_PATH } } satisfies Programs;
}
