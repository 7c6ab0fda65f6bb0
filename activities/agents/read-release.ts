import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import type { ReleaseFacts } from '../../src/rules/releases/release-facts.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { RunPlace } from './assignment.ts';

/** What is in the Release that a run is about: its commits since the version before, and the Changes they came from. */
export async function readRelease(store: Store, { org, run, host, repo }: RunPlace): Promise<ReleaseFacts | undefined> {
  const about = run.spec.release;
  if (!about) return undefined;
  const { version } = about;
  const release = await store.get(ReleaseKind, { namespace: orgNamespace(org), name: about.name });
  const [tags, onCodehost] = await Promise.all([host.versionTags(repo), host.release(repo, version)]);
  const older = tags.map(({ name }) => name).filter((name) => compareVersions(name, version) < 0);
  const previous = older.toSorted(compareVersions).at(-1);
  const { commit } = release.spec;
  const commits =
    previous === undefined ? [await host.commit(repo, commit)] : await host.commitsBetween(repo, previous, commit);
  return {
    product: run.spec.product,
    version,
    previous,
    url: onCodehost?.url,
    notes: onCodehost?.body ?? '',
    commits: commits.toReversed(),
    changes: await changesIn(store, run, new Set(commits.map(({ sha }) => sha))),
  };
}

async function changesIn(
  store: Store,
  { metadata, spec }: RunPlace['run'],
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
