import { call, edit, finish, runCommand, titled, turn, write, type Scenario, testCommand } from '../scenario.ts';

/** The code review requests changes in the first round and approves in the second. */
export const reviewRequestsChanges: Scenario = {
  ...titled('Show the time on the page'),
  roles: {
    implementer: [
      turn(
        'I read the files.',
        call('list_files'),
        call('read_file', { path: 'page.js' }),
        call('read_file', { path: 'app.js' }),
      ),
      turn(
        'Show the time, in the zone that the visitor names.',
        edit('page.js', 'version, commit })', 'version, commit, time })'),
        edit('page.js', '    <small>', '    <p>${time}</p>\n    <small>'),
        edit('app.js', '...release }))', "...release, time: clock(url.searchParams.get('zone') ?? 'UTC') }))"),
        edit(
          'app.js',
          'function send(',
          'function clock(zone) {\n  const shown = new Date().toISOString().slice(11, 16);\n  return `${shown} in ${zone}`;\n}\n\nfunction send(',
        ),
      ),
      finish('done', 'The page shows the time.'),
      turn(
        'Escape the time, and accept only known zones.',
        edit('page.js', '<p>${time}</p>', '<p>${escapeHtml(time)}</p>'),
        edit(
          'app.js',
          '  const shown = new Date().toISOString().slice(11, 16);\n  return `${shown} in ${zone}`;',
          "  const known = Intl.supportedValuesOf('timeZone').includes(zone) ? zone : 'UTC';\n" +
            "  const shown = new Date().toLocaleTimeString('en-GB', { timeZone: known, timeStyle: 'short' });\n" +
            '  return `${shown} in ${known}`;',
        ),
        write(
          'test/time.test.js',
          "import assert from 'node:assert/strict';",
          "import { once } from 'node:events';",
          "import { after, before, test } from 'node:test';",
          "import { createApp } from '../app.js';",
          '',
          "const app = createApp({ version: 'v1.2.3', commit: '0123456789abcdef' });",
          'let address;',
          '',
          'before(async () => {',
          "  app.listen(0, '127.0.0.1');",
          "  await once(app, 'listening');",
          '  address = `http://127.0.0.1:${app.address().port}`;',
          '});',
          'after(() => app.close());',
          '',
          'const page = async (query) => await (await fetch(address + query)).text();',
          '',
          "test('shows the time in the zone that is asked for', async () => {",
          "  assert.match(await page('/?zone=Europe/Paris'), /<p>\\d\\d:\\d\\d in Europe\\/Paris<\\/p>/);",
          '});',
          '',
          "test('shows UTC for an unknown zone, and no markup from it', async () => {",
          "  const body = await page('/?zone=' + encodeURIComponent('<script>'));",
          '  assert.match(body, /<p>\\d\\d:\\d\\d in UTC<\\/p>/);',
          '  assert.doesNotMatch(body, /<script>/);',
          '});',
        ),
      ),
      turn('I run all tests.', runCommand(testCommand)),
      finish('done', 'The time is escaped, an unknown zone shows UTC, and both have tests that pass.'),
    ],
    'code-reviewer': [
      turn(
        'I read the change in its files.',
        call('read_file', { path: 'page.js' }),
        call('read_file', { path: 'app.js' }),
      ),
      finish(
        'changes-requested',
        'page.js shows the time without escapeHtml, and app.js inserts ?zone= into it unchanged, so a link can inject a script. Escape it, accept only known zones, and add a test.',
      ),
      turn('I read the changed files.', call('read_file', { path: 'page.js' }), call('read_file', { path: 'app.js' })),
      finish('approved', 'The time is escaped and only known zones are used.'),
    ],
    'test-reviewer': [
      turn('I run the tests.', runCommand(testCommand)),
      finish('approved', 'The existing tests pass; the code review requests the missing ones.'),
      turn('I run the tests again.', runCommand(testCommand)),
      finish('approved', 'The time and an unknown zone are tested, and all tests pass.'),
    ],
  },
};
