import { approvingReviewers, call, edit, finish, run, titled, turn, type Example } from '../example.ts';

/** An issue after which the app cannot be built: nothing says how to start it. */
export const brokenBuild: Example = {
  name: 'broken-build',
  matches: titled('Drop the start script'),
  roles: {
    implementer: [
      turn('I look at the scripts.', call('read_file', { path: 'package.json' })),
      turn('Drop the start script.', edit('package.json', '    "start": "node server.js",\n', '')),
      turn('I run the tests.', run('npm test')),
      finish('done', 'The start script is gone.'),
    ],
    ...approvingReviewers,
  },
};

/** An issue after which the app runs, but not as it should. */
export const failingSmokeCheck: Example = {
  name: 'failing-smoke-check',
  matches: titled('Answer 500 on the front page'),
  roles: {
    implementer: [
      turn('I look at the server.', call('read_file', { path: 'app.js' })),
      turn(
        'Answer 500 on the front page.',
        edit('app.js', "=== '/') return send(response, 200,", "=== '/') return send(response, 500,"),
        edit('test/server.test.js', 'assert.equal(response.status, 200);', 'assert.equal(response.status, 500);'),
      ),
      turn('I run the tests.', run('npm test')),
      finish('done', 'The front page answers 500.'),
    ],
    ...approvingReviewers,
  },
};
