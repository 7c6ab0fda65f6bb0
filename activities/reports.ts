import { invalid, notFound } from '../src/errors.ts';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import type { AgentStep } from '../src/rules/agents/kinds.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind, type Post } from '../src/rules/changes/kinds.ts';
import { draftName } from '../src/rules/changes/drafts.ts';
import { artifactDataKey, artifactId } from '../src/rules/changes/evidence.ts';
import { commentMarker, issueComment } from '../src/rules/changes/issue-comment.ts';
import { ConfigMapKind } from '../src/rules/core-kinds.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';

export type ReportDeps = { store: Store; codehost: Codehost };
type StepRef = { org: string; run: string; step: string };
type Delivery = { org: string; run: AgentWorkflowRun; step: AgentStep };

export const createReportActivities = ({ store, codehost }: ReportDeps) => ({
  /** Brings the draft of a step to where the step delivers it; a second time finds what the first one did. */
  deliverDraft: async ({ org, run: name, step: named }: StepRef): Promise<Post[]> => {
    const run = await store.get(AgentWorkflowRunKind, { namespace: orgNamespace(org), name });
    const step = run.spec.steps.find((candidate) => candidate.name === named);
    if (step?.type !== 'agent') throw notFound('agent step', named, `run "${name}"`);
    return step.deliver === 'issue' ? await postToIssue({ store, codehost }, { org, run, step }) : postToChat();
  },
});

async function postToIssue({ store, codehost }: ReportDeps, { org, run, step }: Delivery): Promise<Post[]> {
  const { target } = run.spec;
  const { name, creationTimestamp } = run.metadata;
  const fix = 'Start it on an issue.';
  if (!target)
    throw invalid(`The run "${name}" is about no issue that the step "${step.name}" could comment on. ${fix}`);
  const { repo, number } = target;
  const host = await codehost.forOrg(org);
  const issue = await host.issue(repo, number);
  if (issue.isPullRequest) throw invalid(`${repo}#${number} is a pull request, not an issue. ${fix}`);
  const of = { run: name, step: step.name };
  const body = issueComment(await draftOf(store, run, step.name), of);
  const { url } = await host.ensureComment(repo, {
    number,
    marker: commentMarker(of),
    body,
    since: dayBefore(creationTimestamp),
  });
  for (const label of step.removeLabels ?? []) await host.removeLabel(repo, number, label);
  return [{ to: `${repo}#${number}`, url }];
}

/** No comment of a run is older than the run, whatever the clock of the code host says. */
const dayBefore = (at: string): string => new Date(Date.parse(at) - 24 * 60 * 60_000).toISOString();

/** Where chat destinations will be asked for: no org can have one yet. */
const postToChat = (): Post[] => [
  { to: 'chat', problem: 'No chat destination is connected. The draft is kept as evidence of this step.' },
];

async function draftOf(store: Store, { metadata, status }: AgentWorkflowRun, step: string): Promise<string> {
  const evidence = status?.steps.find(({ name }) => name === step)?.evidence ?? [];
  const draft = evidence.find(({ name }) => name === draftName);
  if (!draft) throw notFound('draft', draftName, `step "${step}" of run "${metadata.name}"`);
  const file = await store.get(ConfigMapKind, { namespace: metadata.namespace, name: artifactId(draft.artifact) });
  return Buffer.from(file.binaryData?.[artifactDataKey] ?? '', 'base64').toString();
}
