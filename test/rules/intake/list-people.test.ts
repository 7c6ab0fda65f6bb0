import { expect, it } from 'vitest';
import { listPeople } from '../../../src/rules/intake/list-people.ts';

const ada = { login: 'ada', type: 'User' };
const bot = { login: 'renovate[bot]', type: 'Bot' };

it.each([
  ['each person once', [ada, ada, { login: 'bob' }], ['ada', 'bob']],
  ['no person for bots', [bot, bot], []],
  ['the person next to a bot', [bot, ada], ['ada']],
  ['nothing for a deleted account', [ada, null], undefined],
  ['nothing for an account without a login', [{ type: 'User' }], undefined],
])('returns %s', (_case, accounts, people) => {
  expect(listPeople(accounts)).toEqual(people);
});
