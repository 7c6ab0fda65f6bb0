export type ScriptedToolCall = { name: string; input: Record<string, unknown> };
export type ScriptedTurn = { content: string; toolCalls: ScriptedToolCall[] };

/** A scripted conversation: the turns of each AgentRole for the issues that match. */
export type Scenario = {
  name: string;
  matches: (conversation: string) => boolean;
  roles: Record<string, ScriptedTurn[]>;
};

export const call = (name: string, input: Record<string, unknown> = {}): ScriptedToolCall => ({ name, input });
export const runCommand = (command: string): ScriptedToolCall => call('run_command', { command });
/** Without npm and a process for each file, which take longer than the tests. */
export const testCommand = 'node --test --test-isolation=none';
export const edit = (path: string, old: string, replacement: string): ScriptedToolCall =>
  call('edit_file', { path, old, new: replacement });
export const write = (path: string, ...lines: string[]): ScriptedToolCall =>
  call('write_file', { path, content: `${lines.join('\n')}\n` });

export const turn = (text: string, ...toolCalls: ScriptedToolCall[]): ScriptedTurn => ({
  content: `Scripted: ${text}`,
  toolCalls,
});

type StepOutcome = 'done' | 'approved' | 'changes-requested' | 'needs-guidance';
/** The summary has its own prefix, because it is shown without the rest of the turn. */
export const finish = (outcome: StepOutcome, summary: string, more: { draft?: string } = {}): ScriptedTurn =>
  turn(summary, call('finish', { outcome, summary: `Scripted: ${summary}`, ...more }));

/** A scenario for the issues with a title. */
export const titled = (title: string): Pick<Scenario, 'name' | 'matches'> => ({
  name: title,
  matches: matchesTitle(title),
});

export const matchesTitle =
  (title: string) =>
  (conversation: string): boolean =>
    conversation.toLowerCase().includes(`\n${title.toLowerCase()}\n`);

/** Both reviewers read the change, run the tests and approve. */
export const approvingReviewers = {
  'code-reviewer': [
    turn('I read the files around the change.', call('list_files'), call('read_file', { path: 'app.js' })),
    finish('approved', 'The change does what the issue asks for, and input from outside is escaped.'),
  ],
  'test-reviewer': [
    turn('I run the tests.', runCommand(testCommand)),
    finish('approved', 'The tests pass, and cover what the issue asks for.'),
  ],
};
