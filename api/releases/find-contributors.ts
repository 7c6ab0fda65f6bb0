import {
  type Contributors,
  listReleaseContributors,
  listRunContributors,
} from '../../src/rules/access/contributors.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Finds whose work a Release is: that of its starter, and of the people behind the Change that it delivers. */
export async function findReleaseContributors(store: Store, org: string, release: Release): Promise<Contributors> {
  const { run } = release.spec;
  const namespace = orgNamespace(org);
  const found = run === undefined ? undefined : await store.find(AgentWorkflowRunKind, { namespace, name: run });
  return listReleaseContributors(release, found);
}

/** Finds whose work a Change is. A run that a Release started is the work of the people behind that Release too. */
export async function findRunContributors(store: Store, org: string, run: AgentWorkflowRun): Promise<Contributors> {
  const own = listRunContributors(run);
  const name = run.spec.release?.name;
  const release =
    name === undefined ? undefined : await store.find(ReleaseKind, { namespace: orgNamespace(org), name });
  if (!release) return own;
  const others = await findReleaseContributors(store, org, release);
  return {
    emails: [...own.emails, ...others.emails],
    logins: [...own.logins, ...others.logins],
    hasUnknownStarter: own.hasUnknownStarter || others.hasUnknownStarter,
    hasUnknownCommitter: own.hasUnknownCommitter || others.hasUnknownCommitter,
  };
}
