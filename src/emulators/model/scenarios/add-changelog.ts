import { call, finish, runCommand, titled, turn, write, type Scenario } from '../scenario.ts';

/** The script of the templates keeps the report of the tests as evidence. */
const runTests = runCommand('if [ -f test.sh ]; then sh test.sh; else echo "This repo has no test.sh."; fi');

/** The change succeeds in the first round, in the repo of any template. */
export const addChangelog: Scenario = {
  ...titled('Add a changelog'),
  roles: {
    implementer: [
      turn('I read the files.', call('list_files')),
      turn(
        'Describe what has changed so far.',
        write('CHANGELOG.md', '# Changelog', '', '## Unreleased', '', '- This changelog.'),
      ),
      turn('I run all tests.', runTests),
      finish('done', 'The repo has a changelog. Nothing else changes, and all tests pass.'),
    ],
    'code-reviewer': [
      turn('I read the changelog.', call('read_file', { path: 'CHANGELOG.md' })),
      finish('approved', 'The changelog says what it is for, and the app is as it was.'),
    ],
    'test-reviewer': [
      turn('I run the tests.', runTests),
      finish('approved', 'The tests pass, and a changelog needs no test of its own.'),
    ],
  },
};
