import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../auth.ts';
import { findMergeBase } from '../git/revisions.ts';
import type { Host } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Repository } from '../tables.ts';

const ciFolder = '.github/workflows';
const describeRefusal = (file: string): string =>
  `refusing to allow a GitHub App to create or update workflow \`${file}\` without \`workflows\` permission`;

/** Apps need a permission of its own to change the files that GitHub runs as CI. */
export const mayChangeCiFiles = (caller: Caller): boolean =>
  caller.kind !== 'installation' || caller.permissions['workflows'] === 'write';

/** Throws when a merge of these commits would change CI files. */
export async function assertNoCiFiles(host: Host, repository: Repository, range: { base: string; head: string }) {
  const directory = host.directory(repository);
  const fork = (await findMergeBase(host.git, directory, [range.base, range.head])) ?? range.base;
  const changed = await host.git.text(directory, ['diff', '--name-only', fork, range.head, '--', ciFolder]);
  const [file] = changed.split('\n').filter(Boolean);
  if (file !== undefined) throw new HttpError(403, describeRefusal(file));
}

/** Rejects new commits that change CI files. */
const preReceiveHook = `#!/bin/sh
while read -r old new ref; do
  case "$new" in *[!0]*) ;; *) continue ;; esac
  file=$(git log --format= --name-only -m "$new" --not --all -- ${ciFolder} | sed -n '/./{p;q;}')
  [ -z "$file" ] && continue
  echo "${describeRefusal('$file').replaceAll('`', '\\`')}" >&2
  exit 1
done
`;

export const ciHooksFolder = ({ dataDir }: Pick<Host, 'dataDir'>): string => join(dataDir, 'hooks-without-ci-files');

export async function writeCiHook(host: Pick<Host, 'dataDir'>): Promise<void> {
  await mkdir(ciHooksFolder(host), { recursive: true });
  await writeFile(join(ciHooksFolder(host), 'pre-receive'), preReceiveHook, { mode: 0o755 });
}
