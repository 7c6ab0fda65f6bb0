import type { Schemas } from '../api/generated/openapi.ts';

type AgentWorkflow = Schemas['AgentWorkflow'];

/** The AgentWorkflows that change code, which is what a Change on an issue is for; the usual one is first. */
export function listChangeWorkflows(all: AgentWorkflow[], usual = 'change'): string[] {
  const names = all
    .filter(({ spec }) => spec.steps.some((step) => step.type === 'agent' && step.mode === 'change'))
    .map(({ name }) => name);
  return [...names.filter((name) => name === usual), ...names.filter((name) => name !== usual)];
}
