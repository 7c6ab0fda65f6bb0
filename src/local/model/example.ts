export type RehearsedCall = { name: string; input: Record<string, unknown> };
export type RehearsedTurn = { says: string; calls: RehearsedCall[] };

/** A worked example: what each AgentRole does, turn by turn, about an issue that it knows. */
export type Example = {
  name: string;
  matches: (conversation: string) => boolean;
  roles: Record<string, RehearsedTurn[]>;
};

export const call = (name: string, input: Record<string, unknown> = {}): RehearsedCall => ({ name, input });
export const run = (command: string): RehearsedCall => call('run_command', { command });
export const edit = (path: string, old: string, replacement: string): RehearsedCall =>
  call('edit_file', { path, old, new: replacement });
export const write = (path: string, ...lines: string[]): RehearsedCall =>
  call('write_file', { path, content: `${lines.join('\n')}\n` });

export const turn = (says: string, ...calls: RehearsedCall[]): RehearsedTurn => ({ says: `Rehearsal: ${says}`, calls });

type Outcome = 'done' | 'approved' | 'changes-requested' | 'needs-guidance';
/** The summary says on its own that it is a rehearsal, since it is shown without the rest. */
export const finish = (outcome: Outcome, summary: string, more: { draft?: string } = {}): RehearsedTurn =>
  turn(summary, call('finish', { outcome, summary: `Rehearsal: ${summary}`, ...more }));

export const titled =
  (title: string) =>
  (conversation: string): boolean =>
    conversation.toLowerCase().includes(`\n${title.toLowerCase()}\n`);

/** Two reviewers who look, run the tests and agree. */
export const approvingReviewers = {
  'code-reviewer': [
    turn('I read the files around the change.', call('list_files'), call('read_file', { path: 'app.js' })),
    finish('approved', 'The change does what the issue asks for, and input from outside is escaped.'),
  ],
  'test-reviewer': [
    turn('I run the tests.', run('npm test')),
    finish('approved', 'The tests pass, and cover what the issue asks for.'),
  ],
};
