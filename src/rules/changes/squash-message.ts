import type { AgentWorkflowRun } from './kinds.ts';
import { givenPullRequest } from './run-names.ts';

/** The title and body of a run's pull request, which become the squash commit's message. */
export function squashMessage({ metadata, spec, status }: AgentWorkflowRun): { title: string; body: string } {
  // A run by schedule has only its AgentWorkflow to say what it is about.
  const about = status?.issue?.title ?? spec.instructions?.split('\n')[0] ?? `chore: ${spec.agentWorkflow}`;
  const conventional = /^\w+(\([^)]*\))?!?: /.test(about) ? about : `feat: ${about}`;
  const closes = spec.target && givenPullRequest(spec.target) === undefined ? `Closes #${spec.target.number}\n\n` : '';
  return { title: conventional.slice(0, 200), body: `${closes}Service-Run: ${metadata.name}` };
}
