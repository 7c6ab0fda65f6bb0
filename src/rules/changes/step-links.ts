import type { Release } from '../releases/kinds.ts';
import type { AgentWorkflowRun, StepStatus } from './kinds.ts';

export type StepLink = { title: string; url: string };

/** Lists what a step produced on other systems: its pull request, the Release that its merge started, and its posts. */
export function listStepLinks(
  { spec, status }: Pick<AgentWorkflowRun, 'spec' | 'status'>,
  { name, phase, posts = [] }: StepStatus,
  release?: Release,
): StepLink[] {
  const step = spec.steps.find((candidate) => candidate.name === name);
  const hasStarted = phase !== 'Pending' && phase !== 'Skipped';
  const producesCode = step?.type === 'merge' || (step?.type === 'agent' && step.mode === 'change');
  const pull = status?.pullRequest;
  const links = posts.flatMap(({ to, url }) => (url === undefined ? [] : [{ title: to, url }]));
  if (pull && hasStarted && producesCode) links.push({ title: `Pull request #${pull.number}`, url: pull.url });
  if (step?.type === 'merge' && phase === 'Succeeded' && release?.status?.url)
    links.push({ title: `Release ${release.spec.version}`, url: release.status.url });
  return links;
}
