import { finish, run, turn, type RehearsedTurn } from '../example.ts';

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

/** For whatever no example is about. */
export const outOfScript = (names: string[]): RehearsedTurn =>
  finish(
    'needs-guidance',
    `this model asks nobody and replays worked examples only (${names.join(', ')}), and this is not in them. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to a real model.`,
  );
