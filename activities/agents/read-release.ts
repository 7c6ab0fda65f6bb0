import { ignoreNotFound } from '../../src/errors.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import type { ReleaseFacts } from '../../src/rules/releases/describe-release.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { RunContext } from '../changes/run-context.ts';

/** Reads the Release of a run: its commits since the previous version, and the Changes that they came from. */
export async function readRelease(
  store: Store,
  { org, run, host, repo }: RunContext,
): Promise<ReleaseFacts | undefined> {
  if (!run.spec.release) return undefined;
  const { name, version } = run.spec.release;
  const release = await store.get(ReleaseKind, { namespace: orgNamespace(org), name });
  const [tags, codehostRelease] = await Promise.all([host.listVersionTags(repo), host.findRelease(repo, version)]);
  const older = tags.map((tag) => tag.name).filter((tag) => compareVersions(tag, version) < 0);
  const previous = older.toSorted(compareVersions).at(-1);
  const { commit } = release.spec;
  // After the history was rewritten, the code host has no comparison with a commit from before.
  const since =
    previous === undefined ? undefined : await host.listCommitsBetween(repo, previous, commit).catch(ignoreNotFound);
  const commits = since ?? [await host.getCommit(repo, commit)];
  return {
    product: run.spec.product,
    version,
    previous,
    url: codehostRelease?.url,
    notes: codehostRelease?.body ?? '',
    commits: commits.toReversed(),
    changes: await listReleasedChanges(store, run, new Set(commits.map(({ sha }) => sha))),
  };
}

async function listReleasedChanges(
  store: Store,
  { metadata, spec }: RunContext['run'],
  commits: ReadonlySet<string>,
): Promise<ReleaseFacts['changes']> {
  const { items } = await store.list(AgentWorkflowRunKind, {
    namespace: metadata.namespace,
    fields: { 'spec.product': spec.product },
  });
  const merged = items.filter(({ status }) => status?.mergeCommit !== undefined && commits.has(status.mergeCommit));
  return merged.map((change) => ({
    run: change.metadata.name,
    ...(change.status?.issue && { issue: change.status.issue.title, url: change.status.issue.url }),
    ...(change.status?.pullRequest && { pullRequest: change.status.pullRequest.url }),
    summaries: (change.status?.steps ?? []).flatMap(({ verdict }) =>
      verdict?.outcome === 'done' ? [verdict.summary] : [],
    ),
  }));
}
