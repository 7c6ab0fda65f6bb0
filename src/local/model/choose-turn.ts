import type { Example, RehearsedTurn } from './example.ts';
import { anyIssue, outOfScript } from './examples/any-issue.ts';

export type ChatMessage = { role: string; content?: unknown };

/** What the model says next: the turn of the example that the conversation has come to. */
export function chooseTurn(messages: ChatMessage[], examples: Example[]): RehearsedTurn {
  const conversation = messages.map(({ content }) => textOf(content)).join('\n');
  const role = /AgentRole "([^"]+)"/.exec(conversation)?.[1] ?? '';
  const example = examples.find(({ matches }) => matches(conversation));
  const turns = example?.roles[role] ?? anyIssue[role] ?? [];
  const taken = messages.filter((message) => message.role === 'assistant').length;
  const next = turns[taken] ?? repeated(role, turns, taken);
  return next ?? outOfScript(examples.map(({ name }) => name));
}

/** Reviewers and resolvers may be asked more often than the example foresaw, and then judge as they did last. */
function repeated(role: string, turns: RehearsedTurn[], taken: number): RehearsedTurn | undefined {
  if (role === 'conflict-resolver' && turns.length > 0) return turns[taken % turns.length];
  return role.endsWith('reviewer') ? turns.at(-1) : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}
