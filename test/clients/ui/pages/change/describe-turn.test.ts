import { describe, expect, it } from 'vitest';
import { describeTurn } from '../../../../../src/clients/ui/pages/change/describe-turn.ts';

const turn = { turn: 1, text: '', toolCalls: [], results: [] };

describe('describeTurn', () => {
  it('names the tool and what it was called on, or the first line of what the agent wrote', () => {
    const read = { name: 'read_file', input: { path: 'src/pay.ts', from: 1, to: 40 } };
    expect(describeTurn({ ...turn, toolCalls: [read, read] })).toEqual({
      tool: 'read_file',
      object: 'src/pay.ts',
      text: 'lines 1–40 and 1 more',
      isError: false,
    });
    const run = { name: 'run_command', input: { command: 'npm test\necho done' } };
    expect(describeTurn({ ...turn, toolCalls: [run] })).toMatchObject({ tool: 'run_command', object: 'npm test' });
    expect(describeTurn({ ...turn, text: `${'x'.repeat(200)}\nmore` }).text).toBe(`${'x'.repeat(160)}…`);
  });

  it('says how a step ended, and that a tool failed', () => {
    const verdict = { outcome: 'approved' as const, summary: 'All tests pass.' };
    const results = [{ name: 'finish', text: '', isError: true }];
    expect(describeTurn({ ...turn, verdict, results })).toEqual({
      tool: 'finish',
      object: 'approved',
      text: 'All tests pass.',
      isError: true,
    });
    expect(describeTurn({ ...turn, toolCalls: [{ name: 'finish', input: 'cut off' }] })).toMatchObject({ object: '' });
  });
});
