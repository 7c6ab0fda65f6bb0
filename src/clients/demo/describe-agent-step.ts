import type { StepView } from './views.ts';

const summaryCharactersMax = 160;

/** Returns one line with the verdict and the usage of an agent's step, and none for a step without a verdict. */
export function describeAgentStep({ name, turns, verdict, usage }: StepView): string[] {
  if (!verdict) return [];
  const text = verdict.summary.replaceAll(/\s+/g, ' ').trim();
  const summary = text.length > summaryCharactersMax ? `${text.slice(0, summaryCharactersMax)}…` : text;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const cost = usage?.costMicroUsd === undefined ? '' : `, $${(usage.costMicroUsd / 1e6).toFixed(2)}`;
  const spent = `${turns ?? 0} turns, ${tokens.toLocaleString('en')} tokens${cost}`;
  return [`  ${name.padEnd(14)} ${verdict.outcome}: ${summary} (${spent})`];
}
