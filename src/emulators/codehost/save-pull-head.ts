import type { Host } from './host.ts';
import type { Repository } from './tables.ts';

/** The ref below refs/pull keeps the head commit after its branch is deleted. */
export async function savePullHead(
  host: Host,
  repository: Repository,
  { number, headSha }: { number: number; headSha: string },
): Promise<void> {
  await host.git.text(host.directory(repository), ['update-ref', '--', `refs/pull/${number}/head`, headSha]);
}
