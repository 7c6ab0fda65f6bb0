import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createTerminal } from '../../../src/clients/demo/terminal.ts';
import type { ProgressStage } from '../../../src/clients/demo/views.ts';

type Options = { yes?: boolean; columns?: number; kind?: string };

function openTerminal({ yes = false, columns, kind = 'xterm' }: Options = {}) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const terminal = createTerminal({ yes, input, output, kind });
  onTestFinished(terminal.close);
  return { terminal, input, text: () => text };
}

const waiting: ProgressStage = {
  stage: 'approval',
  label: 'Your approval',
  colour: 'amber',
  detail: `approve-change: ${'approve or reject the Change, '.repeat(5)}`,
};

it.each([[40], [80]])('keeps every line shorter than the %s columns of the terminal', async (columns) => {
  const { terminal, text } = openTerminal({ columns });
  terminal.showStages([waiting]);
  await sleep(250);
  const lines = stripVTControlCharacters(text()).split(/[\r\n]+/);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(line.length).toBeLessThan(columns);
});

it('shows the stages on a terminal that reports no width, such as that of `ssh -tt` in a script', () => {
  const { terminal, text } = openTerminal({ columns: 0 });
  terminal.showStages([waiting]);
  expect(text()).toContain('Your approval');
});

it('writes whole lines without control characters to a dumb terminal', () => {
  const { terminal, text } = openTerminal({ columns: 80, kind: 'dumb' });
  const running: ProgressStage = { ...waiting, colour: 'blue', detail: 'the agent works' };
  terminal.showStages([running]);
  expect(text()).toBe('● Your approval               0.0 s  the agent works\n');
});

it('repeats a question until the answer is y or n, because n is final', async () => {
  const { terminal, input, text } = openTerminal();
  const answer = terminal.confirm('Merge?', { no: 'closes the pull request' });
  for (const line of ['', 'maybe', 'n']) {
    await sleep(20);
    input.write(`${line}\n`);
  }
  expect(await answer).toBe(false);
  expect(text().match(/n closes the pull request/g)).toHaveLength(2);
});

it('approves with --yes, and fails when the input ends without an answer', async () => {
  const approving = openTerminal({ yes: true }).terminal;
  expect(await approving.confirm('Merge?', { no: 'closes it' })).toBe(true);
  expect(approving.canAnswer).toBe(false);
  const { terminal, input } = openTerminal();
  const answer = terminal.confirm('Merge?', { no: 'closes it' });
  input.end();
  await expect(answer).rejects.toThrow('The input ended without an answer. Pass --yes');
});

it('leaves the text of a failure to the result, which prints it once', () => {
  const { terminal, text } = openTerminal();
  terminal.showStages([{ ...waiting, label: 'Release v1', colour: 'red', detail: 'npm ci failed\nusage' }]);
  expect(text()).toBe('✖ Release v1                  0.0 s\n');
});

it('shows no control characters of a text, so that an agent cannot change what is on the screen', async () => {
  const { terminal, input, text } = openTerminal();
  const hostile = 'rejected\r\u001b[1A\u001b[2K\u009b2Japproved\u001b]52;c;cm0gLXJm\u0007\u202e\tby\r\nall';
  const plain = 'rejected\u{FFFD}approved\u{FFFD}\tby\nall';
  terminal.printLine(hostile);
  terminal.showStages([{ ...waiting, detail: hostile.replace('\r\n', '') }]);
  const answer = terminal.ask(hostile);
  input.write('yes\n');
  expect(await answer).toBe('yes');
  const approving = openTerminal({ yes: true });
  expect(await approving.terminal.confirm(hostile, { no: 'ends it' })).toBe(true);
  const shown = `${text()}${approving.text()}`;
  for (const part of [`${plain}\n`, plain.replace('\n', ''), `${plain}:`, `${plain} yes (--yes)`])
    expect(shown).toContain(part);
  expect(shown).not.toMatch(/[^\P{Cc}\t\n]|\u202e/u);
});
