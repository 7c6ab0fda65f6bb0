import { call, finish, runCommand, turn, type ScriptedTurn, testCommand } from '../scenario.ts';

const keepBothSidesScript = [
  "for file in $(grep -rlE '^<{7} ' --exclude-dir=node_modules --exclude-dir=.git .); do",
  '  sed -i -E "/^(<{7} |={7}$|>{7} )/d" "$file"',
  'done',
  testCommand,
].join('\n');

/** Resolves any conflict by keeping both sides. */
export const conflictResolverTurns: ScriptedTurn[] = [
  turn('I keep both sides of each conflict and run the tests.', runCommand(keepBothSidesScript)),
  finish('done', 'Both sides of each conflict are kept.'),
];

const scriptedNotice = '_(Scripted text: no model was called.)_';

/** These AgentRoles act the same way on any issue or Release. */
export const fallbackTurns: Record<string, ScriptedTurn[]> = {
  'conflict-resolver': conflictResolverTurns,
  'issue-hydrator': [
    turn('I list the files.', call('list_files')),
    finish('done', 'The issue is described.', {
      draft: `### Goal\n\nThe goal of the issue.\n\n### Open questions\n\n- Who will use it?\n\n${scriptedNotice}`,
    }),
  ],
  architect: [
    turn('I list the files.', call('list_files')),
    finish('done', 'The smallest design fits the code.', {
      draft: `### Design\n\nThe smallest change that does what the issue asks for.\n\n${scriptedNotice}`,
    }),
  ],
  'release-writer': [
    finish('done', 'The Release is described.', { draft: `This is a new version.\n\n${scriptedNotice}` }),
  ],
};

export const unmatchedTurn = (names: string[]): ScriptedTurn =>
  finish(
    'needs-guidance',
    `the scripted model only knows issues with these titles: ${names.map((name) => `"${name}"`).join(', ')}. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to use a real model.`,
  );
