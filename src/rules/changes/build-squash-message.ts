import { isBreakingChange } from '../releases/conventional-commit.ts';
import type { AgentWorkflowRun } from './kinds.ts';
import { findTargetPullRequest } from './run-names.ts';

/**
 * Builds the title and body of a run's pull request, which become the message of the squash commit. The title of an issue
 * may come from anyone, so only the instructions of the run can declare a breaking change, which makes a major version.
 */
export function buildSquashMessage({ metadata, spec, status }: AgentWorkflowRun): { title: string; body: string } {
  // A scheduled run has no issue and no instructions, so the title names its AgentWorkflow.
  const subject = status?.issue?.title ?? spec.instructions?.split('\n')[0] ?? `chore: ${spec.agentWorkflow}`;
  const oneLine = subject.replaceAll(/\s+/g, ' ').trim();
  const [, type = 'feat', text = oneLine] = /^([\w-]+(?:\([^)]*\))?)!?: (.+)$/.exec(oneLine) ?? [];
  const conventional = `${type}${isBreakingChange(spec.instructions ?? '') ? '!' : ''}: ${text}`;
  const closes =
    spec.target && findTargetPullRequest(spec.target) === undefined ? `Closes #${spec.target.number}\n\n` : '';
  return { title: conventional.slice(0, 200), body: `${closes}Service-Run: ${metadata.name}` };
}
