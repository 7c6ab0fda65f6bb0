import { notFound, ServiceError } from '../../src/errors.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import type { AgentStep } from '../../src/rules/agents/kinds.ts';
import { draftFileName } from '../../src/rules/changes/drafts.ts';
import { artifactDataKey, toArtifactId } from '../../src/rules/changes/evidence.ts';
import { commentMarker, toIssueComment } from '../../src/rules/changes/issue-comment.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind, type DraftPost } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export type DraftDeps = { store: Store; codehost: Codehost };
type StepRef = { org: string; run: string; step: string };
type DraftStep = { org: string; run: AgentWorkflowRun; step: AgentStep };

export const createDraftActivities = ({ store, codehost }: DraftDeps) => ({
  /** Posts the draft of a step to its destination; a retry updates the comment of the first attempt. */
  deliverDraft: async ({ org, run: runName, step: stepName }: StepRef): Promise<DraftPost[]> => {
    const run = await store.get(AgentWorkflowRunKind, { namespace: orgNamespace(org), name: runName });
    const step = run.spec.steps.find(({ name }) => name === stepName);
    if (step?.type !== 'agent') throw notFound('agent step', stepName, `run "${runName}"`);
    return step.deliver === 'issue' ? await postToIssue({ store, codehost }, { org, run, step }) : postToChat();
  },
});

async function postToIssue({ store, codehost }: DraftDeps, { org, run, step }: DraftStep): Promise<DraftPost[]> {
  const { target } = run.spec;
  const { name, creationTimestamp } = run.metadata;
  const fix = 'Start the run on an issue.';
  if (!target)
    throw new ServiceError(
      'issue-required',
      `The run "${name}" has no issue that the step "${step.name}" can comment on. ${fix}`,
    );
  const { repo, number } = target;
  const host = await codehost.forOrg(org);
  const issue = await host.getIssue(repo, number);
  if (issue.isPullRequest)
    throw new ServiceError('issue-required', `${repo}#${number} is a pull request, not an issue. ${fix}`);
  const origin = { run: name, step: step.name };
  const body = toIssueComment(await getDraft(store, run, step.name), origin);
  const { url } = await host.upsertComment(repo, {
    number,
    marker: commentMarker(origin),
    body,
    since: subtractDay(creationTimestamp),
  });
  for (const label of step.removeLabels ?? []) await host.removeLabel(repo, number, label);
  return [{ to: `${repo}#${number}`, url }];
}

/** The search for an earlier comment starts a day before the run, because the clock of the code host may be wrong. */
const subtractDay = (at: string): string => new Date(Date.parse(at) - 24 * 60 * 60_000).toISOString();

/** An org cannot connect a chat destination yet. */
const postToChat = (): DraftPost[] => [
  { to: 'chat', error: 'No chat destination is connected. The draft is available as evidence of this step.' },
];

async function getDraft(store: Store, { metadata, status }: AgentWorkflowRun, step: string): Promise<string> {
  const evidence = status?.steps.find(({ name }) => name === step)?.evidence ?? [];
  const draft = evidence.find(({ name }) => name === draftFileName);
  if (!draft) throw notFound('draft', draftFileName, `step "${step}" of run "${metadata.name}"`);
  const file = await store.get(ConfigMapKind, { namespace: metadata.namespace, name: toArtifactId(draft.artifact) });
  return Buffer.from(file.binaryData?.[artifactDataKey] ?? '', 'base64').toString();
}
