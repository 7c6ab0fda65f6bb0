import type { Scenario, ScriptedTurn } from './scenario.ts';
import { fallbackTurns, unmatchedTurn } from './scenarios/any-issue.ts';

export type ChatMessage = { role: string; content?: unknown };

/** Returns the next turn of the scenario that matches the conversation. */
export function chooseTurn(messages: ChatMessage[], scenarios: Scenario[]): ScriptedTurn {
  const conversation = messages.map(({ content }) => toText(content)).join('\n');
  const role = /AgentRole "([^"]+)"/.exec(conversation)?.[1] ?? '';
  const scenario = scenarios.find(({ matches }) => matches(conversation));
  const turns = scenario?.roles[role] ?? fallbackTurns[role] ?? [];
  const turnsTaken = messages.filter((message) => message.role === 'assistant').length;
  const next = turns[turnsTaken] ?? repeatTurn(role, turns, turnsTaken);
  return next ?? unmatchedTurn(scenarios.map(({ name }) => name));
}

/** Reviewers and resolvers may run more often than the scenario has turns, and then repeat their last verdict. */
function repeatTurn(role: string, turns: ScriptedTurn[], turnsTaken: number): ScriptedTurn | undefined {
  if (role === 'conflict-resolver' && turns.length > 0) return turns[turnsTaken % turns.length];
  return role.endsWith('reviewer') ? turns.at(-1) : undefined;
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}
