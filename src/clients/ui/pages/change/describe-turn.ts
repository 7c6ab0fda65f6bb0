import type { Schemas } from '../../api/generated/openapi.ts';

type Turn = Schemas['Turn'];
/** The tool that a turn called, what on, and how it went. A turn without a tool has only text. */
type TurnLine = { tool?: string; object?: string; text: string; isError: boolean };

const charactersMax = 160;

/** Describes a turn in one line, as a log would. */
export function describeTurn({ toolCalls, results, verdict, text }: Turn): TurnLine {
  const [call] = toolCalls;
  const isError = results.some((result) => result.isError);
  if (verdict) return { tool: 'finish', object: verdict.outcome, text: toLine(verdict.summary), isError };
  if (!call) return { text: toLine(text), isError };
  const more = toolCalls.length > 1 ? `and ${toolCalls.length - 1} more` : '';
  return {
    tool: call.name,
    object: findObject(call.input),
    text: [toRange(call.input), more].filter(Boolean).join(' '),
    isError,
  };
}

/** Texts of agents are strangers' text and may be long, so only their first line is shown in a list. */
const toLine = (text: string): string => {
  const [line = ''] = text.trim().split('\n');
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line;
};

function findObject(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  const value = ['command', 'path', 'pattern'].map((name) => fields[name]).find((field) => typeof field === 'string');
  return toLine(typeof value === 'string' ? value : '');
}

function toRange(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const { from, to } = input as { from?: unknown; to?: unknown };
  if (typeof from !== 'number') return '';
  return typeof to === 'number' ? `lines ${from}–${to}` : `from line ${from}`;
}
