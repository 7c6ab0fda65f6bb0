import type { AgentWorkflowRun } from './kinds.ts';
import { findTargetPullRequest } from './run-names.ts';

/** Builds the title and body of a run's pull request, which become the message of the squash commit. */
export function buildSquashMessage({ metadata, spec, status }: AgentWorkflowRun): { title: string; body: string } {
  // A scheduled run has no issue and no instructions, so the title names its AgentWorkflow.
  const subject = status?.issue?.title ?? spec.instructions?.split('\n')[0] ?? `chore: ${spec.agentWorkflow}`;
  const conventional = /^\w+(\([^)]*\))?!?: /.test(subject) ? subject : `feat: ${subject}`;
  const closes =
    spec.target && findTargetPullRequest(spec.target) === undefined ? `Closes #${spec.target.number}\n\n` : '';
  return { title: conventional.slice(0, 200), body: `${closes}Service-Run: ${metadata.name}` };
}
