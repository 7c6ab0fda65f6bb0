import { call, finish, run, turn, type RehearsedTurn } from '../example.ts';

const keepBothSides = [
  "for file in $(grep -rlE '^<{7} ' --exclude-dir=node_modules --exclude-dir=.git .); do",
  '  sed -i -E "/^(<{7} |={7}$|>{7} )/d" "$file"',
  'done',
  'npm test',
].join('\n');

/** Resolves any conflict by keeping what both sides wrote. */
export const conflictResolver: RehearsedTurn[] = [
  turn('I keep what both sides wrote, and run the tests.', run(keepBothSides)),
  finish('done', 'Both sides of each conflict are kept.'),
];

const rehearsed = '_(Rehearsal: no model was asked for this text.)_';

/** What these AgentRoles do the same way about any issue or Release. */
export const anyIssue: Record<string, RehearsedTurn[]> = {
  'conflict-resolver': conflictResolver,
  'issue-hydrator': [
    turn('I look at what is there.', call('list_files')),
    finish('done', 'The issue is described.', {
      draft: `### What is wanted\n\nWhat the issue says.\n\n### Open questions\n\n- Who will use it?\n\n${rehearsed}`,
    }),
  ],
  'release-writer': [finish('done', 'The Release is described.', { draft: `There is a new version.\n\n${rehearsed}` })],
};

/** For whatever no example is about. */
export const outOfScript = (names: string[]): RehearsedTurn =>
  finish(
    'needs-guidance',
    `this model asks nobody and replays worked examples only (${names.join(', ')}), and this is not in them. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to a real model.`,
  );
