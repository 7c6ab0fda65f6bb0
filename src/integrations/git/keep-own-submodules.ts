import type { Git } from './run-git.ts';

/** Git merges no submodule that is not checked out, and cannot add one either, so the one of the current branch stays. */
export async function keepOwnSubmodules(git: Git): Promise<void> {
  const lines = (await git(['ls-files', '--unmerged', '-z'])).split('\0');
  const entries = lines.flatMap((line) => {
    const [, mode = '', sha = '', stage, path = ''] = /^(\d+) (\w+) ([123])\t(.+)$/s.exec(line) ?? [];
    return mode === '160000' ? [{ sha, isOwn: stage === '2', path }] : [];
  });
  const kept = Map.groupBy(entries, ({ path }) => path);
  const input = [...kept].map(([path, sides]) => {
    const own = sides.find(({ isOwn }) => isOwn);
    return own ? `160000 ${own.sha}\t${path}\0` : `0 ${'0'.repeat(40)}\t${path}\0`;
  });
  if (input.length > 0) await git(['update-index', '-z', '--index-info'], { input: input.join('') });
}
