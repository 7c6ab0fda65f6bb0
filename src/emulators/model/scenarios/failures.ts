import {
  approvingReviewers,
  call,
  edit,
  finish,
  runCommand,
  titled,
  turn,
  type Scenario,
  testCommand,
} from '../scenario.ts';

/** The change removes the start command, so the image build fails. */
export const brokenBuild: Scenario = {
  ...titled('Drop the start script'),
  roles: {
    implementer: [
      turn('I read the scripts.', call('read_file', { path: 'package.json' })),
      turn('Drop the start script.', edit('package.json', '    "start": "node server.js",\n', '')),
      turn('I run the tests.', runCommand(testCommand)),
      finish('done', 'The start script is removed.'),
    ],
    ...approvingReviewers,
  },
};

/** The change makes the app respond with errors, so the smoke check fails. */
export const failingSmokeCheck: Scenario = {
  ...titled('Answer 500 on the front page'),
  roles: {
    implementer: [
      turn('I read the server.', call('read_file', { path: 'app.js' })),
      turn(
        'Answer 500 on the front page.',
        edit('app.js', "=== '/') return send(response, 200,", "=== '/') return send(response, 500,"),
        edit('test/server.test.js', 'assert.equal(response.status, 200);', 'assert.equal(response.status, 500);'),
      ),
      turn('I run the tests.', runCommand(testCommand)),
      finish('done', 'The front page answers 500.'),
    ],
    ...approvingReviewers,
  },
};
